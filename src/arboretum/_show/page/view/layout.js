// @ts-check
/**
 * Where the nodes of a drawn tree stand: a tidy layout for any number of children, in linear time.
 *
 * A port, line by line, of layout.py (the method of Buchheim, Jünger and Leipert, 2002): both give the same
 * places. Nodes stand on levels, one per depth; *across* is the direction of a level, and the *breadth* of a
 * node its room there. A *contour* is the outermost node of a subtree on each level; where a subtree ends
 * above its neighbour, a *thread* continues its contour.
 */

/**
 * Return the middle of each node across its level; the leftmost edge of the drawing is 0.
 * `children[i]` are the places of the children of node i, from left to right; the root is at place 0.
 * @param {ArrayLike<number>[]} children
 * @param {ArrayLike<number>} breadth how much room each node takes across
 * @param {number} gap the least free room between neighbours
 * @returns {number[]}
 */
export function layOut(children, breadth, gap) {
  return new TidyLayout(children, breadth, gap).places();
}

/** The numbers of nodes while they are placed. */
class TidyLayout {
  /**
   * @param {ArrayLike<number>[]} children
   * @param {ArrayLike<number>} breadth
   * @param {number} gap
   */
  constructor(children, breadth, gap) {
    const n = children.length;
    this.children = children;
    this.breadth = breadth;
    this.gap = gap;
    this.parent = new Int32Array(n).fill(-1);
    this.rank = new Int32Array(n); // among its siblings
    for (let node = 0; node < n; node++) {
      const below = children[node];
      for (let rank = 0; rank < below.length; rank++) {
        this.parent[below[rank]] = node;
        this.rank[below[rank]] = rank;
      }
    }
    this.place = new Float64Array(n); // relative to the parent's subtree
    this.offset = new Float64Array(n); // what is added to the places of all nodes below
    this.shift = new Float64Array(n); // of a subtree against its left sibling's, and how that changes from one
    this.change = new Float64Array(n); // sibling to the next: both wait until all siblings are placed
    this.thread = new Int32Array(n).fill(-1);
    this.ancestor = Int32Array.from({ length: n }, (_, i) => i);
    this.first = Int32Array.from(children, (below) => (below.length ? below[0] : -1)); // the default ancestor
  }

  /** Place every subtree beside its left sibling's, from the leaves up, then add up from the root down. */
  places() {
    const order = this.parentsFirst();
    for (let i = order.length - 1; i >= 0; i--) this.settle(order[i]);
    /** @type {number[]} */
    const across = new Array(order.length).fill(0);
    const added = new Float64Array(order.length);
    for (const node of order) {
      across[node] = this.place[node] + added[node];
      const below = added[node] + this.offset[node];
      const children = this.children[node];
      for (let i = 0; i < children.length; i++) added[children[i]] = below;
    }
    let edge = Infinity;
    for (let i = 0; i < across.length; i++) edge = Math.min(edge, across[i] - this.breadth[i] / 2);
    return across.map((middle) => middle - edge);
  }

  /** Return the nodes so that, backwards, a node comes after all below it and after its left siblings. */
  parentsFirst() {
    /** @type {number[]} */
    const order = [];
    const todo = [0];
    while (todo.length) {
      const node = /** @type {number} */ (todo.pop());
      order.push(node);
      const below = this.children[node];
      for (let i = 0; i < below.length; i++) todo.push(below[i]);
    }
    return order;
  }

  /** @param {number} node */
  settle(node) {
    const below = this.children[node];
    let middle = 0;
    if (below.length) {
      this.spread(below);
      middle = (this.place[below[0]] + this.place[below[below.length - 1]]) / 2;
    }
    if (this.rank[node] === 0) {
      this.place[node] = middle;
      return;
    }
    const left = this.children[this.parent[node]][this.rank[node] - 1];
    this.place[node] = this.place[left] + this.distance(left, node);
    this.offset[node] = this.place[node] - middle;
    this.pushApart(node, left);
  }

  /**
   * Apply the waiting shifts.
   * @param {ArrayLike<number>} siblings
   */
  spread(siblings) {
    let shift = 0;
    let change = 0;
    for (let i = siblings.length - 1; i >= 0; i--) {
      const node = siblings[i];
      this.place[node] += shift;
      this.offset[node] += shift;
      change += this.change[node];
      shift += this.shift[node] + change;
    }
  }

  /**
   * Move a subtree to the right until it is clear of all subtrees of its left siblings.
   * Four contours are followed down: the inner ones face each other, the outer ones get the threads.
   * @param {number} node
   * @param {number} left
   */
  pushApart(node, left) {
    const first = this.children[this.parent[node]][0];
    let [innerLeft, outerLeft, innerRight, outerRight] = [left, first, node, node];
    let [atInnerLeft, atOuterLeft] = [this.offset[left], this.offset[first]];
    let [atInnerRight, atOuterRight] = [this.offset[node], this.offset[node]];
    for (;;) {
      const nextLeft = this.rightEnd(innerLeft);
      const nextRight = nextLeft >= 0 ? this.leftEnd(innerRight) : -1;
      if (nextRight < 0) break;
      innerLeft = nextLeft;
      innerRight = nextRight;
      outerLeft = this.leftEnd(outerLeft);
      outerRight = this.rightEnd(outerRight);
      this.ancestor[outerRight] = node;
      const overlap =
        this.place[innerLeft] +
        atInnerLeft -
        this.place[innerRight] -
        atInnerRight +
        this.distance(innerLeft, innerRight);
      if (overlap > 0) {
        this.move(this.siblingAbove(innerLeft, node), node, overlap);
        atInnerRight += overlap;
        atOuterRight += overlap;
      }
      atInnerLeft += this.offset[innerLeft];
      atInnerRight += this.offset[innerRight];
      atOuterLeft += this.offset[outerLeft];
      atOuterRight += this.offset[outerRight];
    }
    if (this.rightEnd(innerLeft) >= 0 && this.rightEnd(outerRight) < 0) {
      this.thread[outerRight] = this.rightEnd(innerLeft);
      this.offset[outerRight] += atInnerLeft - atOuterRight;
    }
    if (this.leftEnd(innerRight) >= 0 && this.leftEnd(outerLeft) < 0) {
      this.thread[outerLeft] = this.leftEnd(innerRight);
      this.offset[outerLeft] += atInnerRight - atOuterLeft;
      this.first[this.parent[node]] = node;
    }
  }

  /**
   * Move a subtree, and those between it and the one it met by their share of the distance.
   * @param {number} left
   * @param {number} right
   * @param {number} distance
   */
  move(left, right, distance) {
    const share = distance / (this.rank[right] - this.rank[left]);
    this.change[right] -= share;
    this.shift[right] += distance;
    this.change[left] += share;
    this.place[right] += distance;
    this.offset[right] += distance;
  }

  /**
   * Return the sibling of `node` in whose subtree a node of the inner contour lies.
   * @param {number} met
   * @param {number} node
   */
  siblingAbove(met, node) {
    const known = this.ancestor[met];
    const parent = this.parent[node];
    return this.parent[known] === parent ? known : this.first[parent];
  }

  /** @param {number} node */
  leftEnd(node) {
    const below = this.children[node];
    return below.length ? below[0] : this.thread[node];
  }

  /** @param {number} node */
  rightEnd(node) {
    const below = this.children[node];
    return below.length ? below[below.length - 1] : this.thread[node];
  }

  /**
   * @param {number} left
   * @param {number} right
   */
  distance(left, right) {
    return (this.breadth[left] + this.breadth[right]) / 2 + this.gap;
  }
}
