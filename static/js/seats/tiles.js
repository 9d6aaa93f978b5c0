// Finished pictures of parts of the plan. Frames copy them, moved and scaled while the map moves; when it rests, what is in view
// is drawn again at its exact scale. A frame draws a few tiles only, so that the next movement never waits for them.

import { meet, paint } from "./paint.js";
import { PITCH } from "./plan.js";
import { newCanvas } from "./strokes.js";

const SIDE = 256; // pixels of a tile
const AHEAD = 64; // pixels around the view, in which tiles are drawn, too
const [SMALLEST, LARGEST] = [0.7, 2]; // scale of finished tiles while the map moves; beyond, others are drawn

export class Tiles {
  #budget; #levels = []; #version = 0; #spare = [];

  /** `budget`: ms of a frame for tiles while the map is moving or resting, but one tile at least. */
  constructor(budget) {
    this.#budget = budget;
  }

  /** The drawing changed: all of it, or only the boxes of the plan that `boxesAt` returns for a scale. */
  invalidate(boxesAt = null) {
    if (!boxesAt) this.#version += 1;
    else for (const level of this.#levels) {
      const boxes = boxesAt(level.scale);
      for (const tile of level.tiles.values()) if (boxes.some((box) => meet(box, boxOf(level, tile)))) tile.version -= 1;
    }
  }

  /** Show what the scene's camera sees; returns whether all of it is drawn. */
  show(context, scene, isMoving) {
    const { camera } = scene, level = this.#levelFor(scene, isMoving), due = this.#due(level, camera, isMoving ? 0 : AHEAD);
    const isDrawn = this.#drawSome(level, due, scene, isMoving ? this.#budget.moving : this.#budget.resting);
    if (isDrawn) this.#keepOnly(level, camera);
    for (const one of this.#levels) copy(context, one, camera);
    return isDrawn;
  }

  /** Draw tiles as long as the next one probably fits into the frame; returns whether none is left. */
  #drawSome(level, due, scene, budget) {
    const begun = performance.now();
    let drawn = 0, spent = 0;
    while (drawn < due.length && spent + spent / drawn <= budget || drawn === 0 && due.length) {
      this.#draw(level, due[drawn++], scene);
      spent = performance.now() - begun;
    }
    return drawn === due.length;
  }

  /** Tiles of one scale. Those of the scale before stay below them until all are drawn. */
  #levelFor({ camera: { scale, x, y }, ratio }, isMoving) {
    const last = this.#levels.at(-1), drift = last?.ratio === ratio ? scale / last.scale : 0;
    if (isMoving ? drift > SMALLEST && drift < LARGEST : drift === 1) return last;
    for (const unfinished of this.#levels.splice(1)) this.#drop(unfinished);
    const level = { scale, x, y, ratio, unit: SIDE / ratio / scale, tiles: new Map() };
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
    const { scale, ratio, unit } = level, name = nameOf(column, row), tile = level.tiles.get(name) ?? this.#spare.pop() ?? newTile();
    const side = SIDE / ratio, camera = { scale, pitch: PITCH * scale, x: level.x + column * unit, y: level.y + row * unit, width: side, height: side };
    paint(tile.context, { ...scene, camera });
    level.tiles.set(name, Object.assign(tile, { column, row, version: this.#version }));
  }

  /** The level's tiles in view are drawn: other levels are not needed any more, nor tiles far from the view. */
  #keepOnly(level, camera) {
    while (this.#levels.length > 1) this.#drop(this.#levels.shift());
    const near = inTiles(level, camera, AHEAD + SIDE);
    for (const [name, tile] of level.tiles) {
      if (isIn(tile, near)) continue;
      level.tiles.delete(name);
      this.#spare.push(tile);
    }
  }

  #drop({ tiles }) {
    this.#spare.push(...tiles.values());
  }
}

function newTile() {
  const canvas = newCanvas(SIDE, SIDE);
  return { canvas, context: canvas.getContext("2d", { alpha: false }) };
}

const boxOf = ({ x, y, unit }, { column, row }) => [x + column * unit, y + row * unit, x + (column + 1) * unit, y + (row + 1) * unit];
const nameOf = (column, row) => `${column} ${row}`;
const isIn = ({ column, row }, [left, top, right, bottom]) => column > left - 1 && column < right && row > top - 1 && row < bottom;

/** The view and some pixels around it, in a level's columns and rows. */
function inTiles({ x: left, y: top, unit }, { scale, x, y, width, height }, around) {
  const margin = around / scale;
  return [(x - margin - left) / unit, (y - margin - top) / unit, (x + width / scale + margin - left) / unit, (y + height / scale + margin - top) / unit];
}

/** To whole pixels: no gaps between tiles, and sharp at rest. */
function copy(context, level, camera) {
  const seen = inTiles(level, camera, 0), zoom = camera.scale * level.ratio;
  const px = (column) => Math.round((level.x + column * level.unit - camera.x) * zoom);
  const py = (row) => Math.round((level.y + row * level.unit - camera.y) * zoom);
  context.setTransform(1, 0, 0, 1, 0, 0);
  for (const tile of level.tiles.values()) {
    if (!isIn(tile, seen)) continue;
    const { canvas, column, row } = tile, left = px(column), top = py(row);
    context.drawImage(canvas, left, top, px(column + 1) - left, py(row + 1) - top);
  }
}
