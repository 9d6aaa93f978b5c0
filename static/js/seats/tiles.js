// Pictures of parts of the plan. A frame moves and scales all of them by one transform, which the compositor does without drawing;
// when the map rests, what is in view is drawn again at its exact scale. A frame draws a few tiles only, so that the next movement
// never waits for them.

import { meet } from "./paint.js";

const [STEP, MOST] = [256, 512]; // pixels of a tile in a small view and in a large one
const MANY = 24; // tiles in view: each costs a frame a little
const OVERLAP = 2; // pixels of a tile under its neighbours: no gaps while they are scaled
const BUDGET = 2; // ms of a frame for tiles, but one tile at least
const AHEAD = 64; // pixels around the view, in which tiles are drawn, too
const [SMALLEST, LARGEST] = [0.7, 2]; // scale of finished tiles while the map moves; beyond, others are drawn

export class Tiles {
  #box; #paint; #levels = []; #unused = []; #version = 0; #side = STEP;

  /** `paint(context, scene)` draws what the scene's camera sees. */
  constructor(box, paint) {
    this.#box = box;
    this.#paint = paint;
  }

  /** The drawing changed: all of it, or only the boxes of the plan that `boxesAt` returns for a scale. */
  invalidate(boxesAt = null) {
    if (!boxesAt) this.#version += 1;
    else for (const level of this.#levels) {
      const boxes = boxesAt(level.scale);
      for (const tile of level.tiles.values()) if (boxes.some((box) => meet(box, boxOf(level, tile)))) tile.version -= 1;
    }
  }

  /** The view has a new size: larger views have larger tiles. */
  resize(width, height, ratio) {
    const side = Math.min(Math.ceil(Math.sqrt(width * height * ratio ** 2 / MANY) / STEP) * STEP, MOST);
    if (side === this.#side) return;
    this.#side = side;
    this.#levels = [];
    this.#unused = [];
    this.#box.replaceChildren();
  }

  /** Show what the camera sees; returns whether tiles are left to be drawn. */
  show(scene, isMoving) {
    const { camera } = scene, level = this.#levelFor(scene, isMoving), due = this.#due(level, camera, isMoving ? 0 : AHEAD);
    const left = this.#drawSome(level, due, scene);
    if (!left) this.#keepOnly(level, camera);
    if (!left && !isMoving) this.#reserve(scene);
    for (const one of this.#levels) place(one, camera);
    return left > 0;
  }

  /** Make the elements of two levels while the map rests: a new element costs a frame more than drawing a tile. */
  #reserve({ camera, ratio }) {
    const [across, down] = [camera.width, camera.height].map((length) => Math.ceil(length * ratio / SMALLEST / this.#side) + 1);
    if (!this.#unused.length) this.#unused.push(newLevel(this.#box));
    for (const level of [...this.#levels, ...this.#unused]) {
      while (level.tiles.size + level.spare.length < across * down) level.spare.push(new Tile(level.element, this.#side, ratio));
    }
  }

  /** Draw tiles as long as the next one probably fits into the frame; returns how many are left. */
  #drawSome(level, due, scene) {
    const begun = performance.now();
    let drawn = 0, spent = 0;
    while (drawn < due.length && spent + spent / drawn <= BUDGET || drawn === 0 && due.length) {
      this.#draw(level, due[drawn++], scene);
      spent = performance.now() - begun;
    }
    return due.length - drawn;
  }

  /** Tiles of one scale. Those of the scale before are shown, too, until all are drawn. */
  #levelFor({ camera: { scale, x, y }, ratio }, isMoving) {
    const last = this.#levels.at(-1), drift = last?.ratio === ratio ? scale / last.scale : 0;
    if (isMoving ? drift > SMALLEST && drift < LARGEST : drift === 1) return last;
    for (const unfinished of this.#levels.splice(1)) this.#retire(unfinished);
    const level = this.#unused.pop() ?? newLevel(this.#box);
    Object.assign(level, { scale, x, y, ratio, side: this.#side, unit: this.#side / ratio / scale });
    for (const tile of level.spare) tile.hide();
    level.element.style.opacity = 1;
    this.#levels.push(level);
    return level;
  }

  /** Places of tiles that are missing or out of date: the oldest first, of those the nearest to the middle of the view. */
  #due(level, camera, ahead) {
    const [left, top, right, bottom] = inTiles(level, camera, ahead), found = [];
    for (let row = Math.floor(top); row < bottom; row++) {
      for (let column = Math.floor(left); column < right; column++) {
        const version = level.tiles.get(nameOf(column, row))?.version ?? -1;
        const far = Math.hypot(column + 0.5 - (left + right) / 2, row + 0.5 - (top + bottom) / 2);
        if (version !== this.#version) found.push({ column, row, version, far });
      }
    }
    return found.sort((a, b) => a.version - b.version || a.far - b.far);
  }

  #draw(level, { column, row }, scene) {
    const { scale, ratio, unit } = level, name = nameOf(column, row), tile = level.tiles.get(name) ?? this.#newTile(level, column, row);
    const pitch = scene.camera.pitch * scale / scene.camera.scale, side = (level.side + OVERLAP) / ratio;
    const camera = { scale, pitch, x: level.x + column * unit, y: level.y + row * unit, width: side, height: side };
    tile.draw((context) => {
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.#paint(context, { ...scene, camera });
    });
    tile.version = this.#version;
    level.tiles.set(name, tile);
  }

  #newTile(level, column, row) {
    const tile = level.spare.pop() ?? new Tile(level.element, level.side, level.ratio);
    tile.place(column, row, level.ratio);
    return tile;
  }

  /** The level's tiles in view are drawn: other levels are not needed any more, nor canvases far from the view. */
  #keepOnly(level, camera) {
    while (this.#levels.length > 1) this.#retire(this.#levels.shift());
    const near = inTiles(level, camera, AHEAD + level.side);
    for (const [name, tile] of level.tiles) {
      if (isIn(tile, near)) continue;
      level.tiles.delete(name);
      level.spare.push(tile);
      tile.hide();
    }
  }

  #retire(level) {
    level.spare.push(...level.tiles.values());
    level.tiles.clear();
    level.element.style.opacity = 0;
    this.#unused.push(level);
  }
}

/** `spare`: hidden tiles to use again; after removing an element the browser would layer the page anew. */
function newLevel(box) {
  return { element: box.appendChild(document.createElement("div")), tiles: new Map(), spare: [] };
}

/** Shows a finished bitmap. Without a graphics processor the browser would copy a canvas that can be drawn on in every frame. */
class Tile {
  #canvas = document.createElement("canvas"); #context; #side;

  constructor(box, side, ratio) {
    this.#side = side;
    this.#canvas.width = this.#canvas.height = side + OVERLAP;
    this.#context = this.#canvas.getContext(drawing ? "bitmaprenderer" : "2d", { alpha: false });
    this.place(0, 0, ratio); // with a size from the beginning: a new one costs a layout
    this.hide();
    box.append(this.#canvas);
  }

  place(column, row, ratio) {
    Object.assign(this, { column, row });
    const { style } = this.#canvas;
    style.width = style.height = `${(this.#side + OVERLAP) / ratio}px`;
    style.transform = `translate(${column * this.#side / ratio}px, ${row * this.#side / ratio}px)`;
    style.opacity = 1;
  }

  hide() {
    this.#canvas.style.opacity = 0;
  }

  draw(paint) {
    if (!drawing) return paint(this.#context);
    if (drawing.width !== this.#canvas.width) drawing.width = drawing.height = this.#canvas.width;
    paint(drawing.getContext("2d", { alpha: false }));
    this.#context.transferFromImageBitmap(drawing.transferToImageBitmap());
  }
}

/** Where tiles are drawn, one after the other; browsers before 2023 draw on the tiles themselves. */
const drawing = "OffscreenCanvas" in window ? new OffscreenCanvas(1, 1) : null;

const boxOf = ({ x, y, unit }, { column, row }) => [x + column * unit, y + row * unit, x + (column + 1) * unit, y + (row + 1) * unit];
const nameOf = (column, row) => `${column} ${row}`;
const isIn = ({ column, row }, [left, top, right, bottom]) => column > left - 1 && column < right && row > top - 1 && row < bottom;

/** The view and some pixels around it, in a level's columns and rows. */
function inTiles({ x: left, y: top, unit }, { scale, x, y, width, height }, around) {
  const margin = around / scale;
  return [(x - margin - left) / unit, (y - margin - top) / unit, (x + width / scale + margin - left) / unit, (y + height / scale + margin - top) / unit];
}

/** Move a level to where the camera sees it; at its own scale to whole pixels, so that it is sharp. */
function place({ element, scale, x, y, ratio }, camera) {
  const snap = camera.scale === scale ? (length) => Math.round(length * ratio) / ratio : (length) => length;
  const [left, top] = [snap((x - camera.x) * camera.scale), snap((y - camera.y) * camera.scale)];
  element.style.transform = `translate(${left}px, ${top}px) scale(${camera.scale / scale})`;
}
