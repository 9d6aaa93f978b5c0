// The page's own colours, which follow light and dark.

const NAMES = ["ink", "ink-soft", "surface", "sunken", "line", "line-strong", "brand", "on-brand", "focus", "warn"];
let colours = {};

export function readColours() {
  const style = getComputedStyle(document.documentElement);
  colours = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

export const colour = (name) => colours[name];

/** What a worker, which has no page, is given to use. */
export const pageColours = () => colours;
export const useColours = (given) => { colours = given; };

const known = new Map();

/** Black or white, whichever has more contrast on a grade's colour. */
export function onColour(ground) {
  if (!known.has(ground)) {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const part = parseInt(ground.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    known.set(ground, 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#000" : "#fff");
  }
  return known.get(ground);
}
