// Shapes and texts on a canvas.

const FONT = "Pretendard Variable, sans-serif";

export function circle(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

export function rounded(context, x, y, wide, high, corner) {
  context.beginPath();
  context.roundRect(x, y, wide, high, corner);
  context.fill();
}

/** Whole pixels and a change only if needed: a new font costs more than drawing many seats. */
export function useFont(context, size, weight) {
  const wanted = `${weight} ${Math.round(size)}px ${FONT}`;
  if (context.wanted === wanted) return;
  context.font = wanted;
  context.wanted = wanted;
}

const widths = new Map();

/** A font was loaded. */
export const forgetWidths = () => widths.clear();

export function widthOf(context, words, size, weight) {
  const key = `${weight} ${Math.round(size)} ${words}`;
  if (!widths.has(key)) {
    useFont(context, size, weight);
    widths.set(key, context.measureText(words).width);
  }
  return widths.get(key);
}

export function write(context, words, x, y, size, weight) {
  useFont(context, size, weight);
  context.fillText(words, x, y);
}
