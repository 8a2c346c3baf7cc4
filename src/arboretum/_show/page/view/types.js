// @ts-check
/**
 * Types that several files share; there is no code here.
 *
 * A page is what the Python side has written; its nodes are arrays, one per figure, and a node is a place in
 * them. A step is a place on the pruning path.
 */

/**
 * @typedef {object} Nodes
 * @property {number[]} id
 * @property {number[]} parent
 * @property {number[][]} children
 * @property {number[]} depth
 * @property {(string | null)[]} question
 * @property {(string | null)[]} headline the question on a card, with short numbers and names
 * @property {(string | null)[]} outcome
 * @property {(string | null)[]} answer
 * @property {[number, string | null][][]} premise what a node changes in the rule of the node above, by key
 * @property {boolean[]} takes_missing
 * @property {number[][]} asked
 * @property {number[]} n_rows
 * @property {number[]} share of all rows
 * @property {(number | null)[]} low where the interval of the label's share, or of the mean, begins
 * @property {(number | null)[]} high
 * @property {(number | null)[]} lift
 * @property {number[]} weight
 * @property {(number | null)[]} impurity
 * @property {(number | null)[]} gain
 * @property {(number | null)[] | null} [corrected_gain] less what so many levels gain by chance
 * @property {(number | null)[] | null} [gain_ratio]
 * @property {(number | null)[] | null} [p_value]
 * @property {string[]} label
 * @property {number[]} [class] the place of the label among the classes of the page
 * @property {(number | null)[]} confidence
 * @property {(string | null)[]} own what the rows say by themselves, if predictions are drawn elsewhere: "96%", "mean 5.8"
 * @property {(number | null)[]} value
 * @property {(number | null)[]} mean of the rows
 * @property {number[][] | null} counts
 * @property {number[]} hidden
 * @property {number[]} step
 */

/**
 * @typedef {object} Pruning
 * @property {(number | null)[]} alpha
 * @property {number[]} leaves
 * @property {(number | null)[]} risk
 * @property {(number | null)[] | null} cv_risk
 * @property {(number | null)[] | null} cv_se
 * @property {number | null} chosen
 * @property {number | null} best
 * @property {number | null} one_se
 * @property {number} first
 */

/**
 * @typedef {object} DataSet
 * @property {string} name
 * @property {number[]} n_rows
 * @property {number[]} weight
 * @property {boolean} weighted whether rows have weights
 * @property {number[][] | null} counts
 * @property {(number | null)[] | null} mean
 * @property {(number | null)[]} loss
 */

/**
 * @typedef {object} Distribution
 * @property {string} kind
 * @property {string} title
 * @property {number[] | null} edges
 * @property {string[] | null} names
 * @property {number[] | null} child
 * @property {number[][]} counts
 * @property {(number | null)[] | null} mean
 * @property {number[]} missing
 * @property {number | null} cut
 * @property {[number | null, string][]} ticks
 * @property {[number | null, number | null][] | null} points
 * @property {string} [data]
 */

/**
 * @typedef {object} ColumnDependence the mean prediction by one column
 * @property {string[] | null} levels
 * @property {number[] | null} edges where steps begin and end, if there are no levels
 * @property {[string, string] | null} ends the first and the last edge in words
 * @property {number[][]} values of each step or level: a number, or the probability of each class
 */

/**
 * @typedef {object} RowPath the path of one row
 * @property {number[]} nodes the nodes that it passes, parents first
 * @property {(string | null)[]} sentences why it leaves each; null where it stops
 * @property {string} conclusion what the model predicts
 * @property {number} step of the model
 */

/**
 * @typedef {object} Palette
 * @property {string} name
 * @property {string} page
 * @property {string} card
 * @property {string} ink
 * @property {string} faint
 * @property {string} line
 * @property {string} accent
 * @property {string} highlight
 * @property {string} missing
 * @property {string} other
 * @property {string} low
 * @property {string} high
 * @property {string[]} classes
 */

/**
 * @typedef {{question: string, gain: number | null, corrected_gain?: number | null, gain_ratio?: number | null}} Competitor
 * @typedef {{question: string, agreement: number | null, adjusted_agreement: number | null,
 *   n_rows: number}} Surrogate
 * @typedef {"light" | "dark"} ThemeName
 * @typedef {"tree" | "icicle" | "rules"} ViewName
 */

/**
 * @typedef {object} Page
 * @property {number} version
 * @property {string} title
 * @property {string} subtitle
 * @property {string[] | null} classes
 * @property {number} [n_merged_classes] how many rare classes the last one stands for
 * @property {string} impurity
 * @property {string} criterion
 * @property {string} missing
 * @property {string[]} columns
 * @property {number} n_nodes
 * @property {number} n_largest nodes of the largest tree of the pruning path
 * @property {boolean} weighted whether rows have weights
 * @property {Nodes} nodes
 * @property {Record<string, Competitor[]>} competitors
 * @property {Record<string, Surrogate[]>} surrogates
 * @property {Pruning | null} pruning
 * @property {number} step
 * @property {RowPath | null} row
 * @property {DataSet[]} data
 * @property {Record<string, Distribution>} distributions
 * @property {{step: number, columns: Record<string, ColumnDependence>}} dependence of the tree at this step
 * @property {Record<ThemeName, Palette>} palette
 * @property {Record<ThemeName, string[]> | null} class_colours
 * @property {[number, number] | null} value_range
 * @property {OutputPage[]} [outputs] of a tree of several outputs; the rest of the page is that of the first
 */

/**
 * @typedef {object} OutputPage what is different for an output
 * @property {string} name
 * @property {Partial<Page>} page
 * @property {Partial<Nodes>} nodes
 */

export {};
