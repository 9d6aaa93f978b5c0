// Shapes and texts on a canvas.

export const FONT = "Pretendard Variable, sans-serif";
const SIZE = 16; // pixels of every font: the first text in another size would cost more than drawing a tile

/** To draw on, in a page or in a worker. */
export function newCanvas(width, height) {
  if ("OffscreenCanvas" in globalThis) return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement("canvas"), { width, height });
}

export function circle(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

export function rounded(context, x, y, wide, high, corner) {
  context.beginPath();
  context.roundRect(x, y, wide, high, corner);
  context.fill();
}

/** A context whose state is new or was restored: texts are written around their points. */
export function prepareTexts(context) {
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.weight = 0;
}

/** The font of this weight, if the context has another one. */
function useFont(context, weight) {
  if (context.weight === weight) return;
  context.font = `${weight} ${SIZE}px ${FONT}`;
  context.weight = weight;
}

const widths = new Map();

/** A font was loaded. */
export const forgetWidths = () => widths.clear();

export function widthOf(context, words, size, weight) {
  const key = `${weight} ${words}`;
  if (!widths.has(key)) {
    useFont(context, weight);
    widths.set(key, context.measureText(words).width / SIZE);
  }
  return widths.get(key) * size;
}

/** Words around a point, scaled to whole pixels, for which letters are kept. */
export function write(context, words, x, y, size, weight) {
  const scale = Math.round(size) / SIZE;
  useFont(context, weight);
  context.save();
  context.translate(x, y);
  context.scale(scale, scale);
  context.fillText(words, 0, 0);
  context.restore();
}
