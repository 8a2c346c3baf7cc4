// @ts-check
/**
 * Where the arrow keys lead: to the parent, the child, and the neighbours on the same level or in a list.
 *
 * A neighbour is the next shown node on a level; beyond the last sibling it is a cousin. In a list, above and
 * below are the adjacent lines.
 */
/** @import { Model } from "./model.js" */

/** @typedef {"parent" | "child" | "next" | "previous" | "above" | "below"} Move */

/**
 * Return where a move leads, or the node itself if nowhere.
 * @param {Model} model
 * @param {number} node
 * @param {Move} move
 * @param {(node: number) => number[]} shownChildren
 */
export function moveFrom(model, node, move, shownChildren) {
  if (move === "parent") return Math.max(0, model.nodes.parent[node]);
  if (move === "child") return shownChildren(node)[0] ?? node;
  if (move === "below") return shownChildren(node)[0] ?? siblingBelow(model, node);
  if (move === "above") return lineAbove(model, node, shownChildren);
  return neighbour(model, node, move === "next" ? 1 : -1, shownChildren);
}

/** The next sibling, or that of the nearest node above; the node itself at the end. @param {Model} model @param {number} node */
function siblingBelow(model, node) {
  const { parent } = model.nodes;
  for (let at = node; parent[at] >= 0; at = parent[at]) {
    const siblings = model.childrenOf(parent[at]);
    const next = siblings[siblings.indexOf(at) + 1];
    if (next !== undefined) return next;
  }
  return node;
}

/**
 * The last line below the sibling before, else the parent.
 * @param {Model} model
 * @param {number} node
 * @param {(node: number) => number[]} shownChildren
 */
function lineAbove(model, node, shownChildren) {
  const parent = model.nodes.parent[node];
  if (parent < 0) return node;
  const siblings = model.childrenOf(parent);
  const before = siblings.indexOf(node) - 1;
  if (before < 0) return parent;
  let last = siblings[before];
  for (let below = shownChildren(last); below.length; below = shownChildren(last))
    last = below[below.length - 1];
  return last;
}

/**
 * Go up until there is a sibling on this side, then down on its near side to the same level.
 * @param {Model} model
 * @param {number} node
 * @param {1 | -1} way
 * @param {(node: number) => number[]} shownChildren
 */
function neighbour(model, node, way, shownChildren) {
  const { parent, depth } = model.nodes;
  const level = depth[node];
  for (let at = node; parent[at] >= 0; at = parent[at]) {
    const siblings = model.childrenOf(parent[at]);
    for (let i = siblings.indexOf(at) + way; i >= 0 && i < siblings.length; i += way) {
      const found = nearSide(siblings[i], level, way, depth, shownChildren);
      if (found >= 0) return found;
    }
  }
  return node;
}

/**
 * Return the node of a level in a subtree that is nearest to one side, or -1.
 * @param {number} top
 * @param {number} level
 * @param {1 | -1} way
 * @param {number[]} depth
 * @param {(node: number) => number[]} shownChildren
 */
function nearSide(top, level, way, depth, shownChildren) {
  const todo = [top];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (depth[at] === level) return at;
    const children = shownChildren(at);
    todo.push(...(way > 0 ? [...children].reverse() : children));
  }
  return -1;
}
