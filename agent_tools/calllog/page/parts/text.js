// Text on the page: elements from text nodes only, hidden characters made visible, numbers made short.

const h = (tag, given, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'class') element.className = value;
    else if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
};

// C0 but tab and line feed, C1, changes of direction, zero-width marks, tag characters, lone surrogates
const ODD = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Cs}/gu;

const spell = (character) => {
  const code = character.codePointAt(0);
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
};

/** Return nodes that show a text whole, with what a reader could not see spelt out. */
const visible = (text) => {
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(ODD)) {
    if (match.index > at) nodes.push(text.slice(at, match.index));
    nodes.push(h('span', { class: 'odd', title: 'a character that is not visible as it is' }, spell(match[0])));
    at = match.index + match[0].length;
  }
  if (at < text.length) nodes.push(text.slice(at));
  return nodes;
};

/** Return a text for one line or a title: hidden characters spelt out. */
const plain = (value) => String(value ?? '').replace(ODD, spell);

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const count = (value) => (isNumber(value) ? Math.round(value).toLocaleString('en-US') : '');
const short = (value) => {
  if (!isNumber(value)) return '';
  const [size, unit] = value >= 1e6 ? [1e6, 'M'] : value >= 1e4 ? [1e3, 'k'] : [1, ''];
  return unit ? `${(value / size).toFixed(value / size < 100 ? 1 : 0)}${unit}` : count(value);
};
const duration = (ms) => {
  if (!isNumber(ms)) return '';
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
  if (ms < 60e3) return `${(ms / 1000).toFixed(ms < 10e3 ? 2 : 1)} s`;
  const s = Math.round(ms / 1000);
  return s < 3600 ? `${Math.floor(s / 60)} m ${s % 60} s` : `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} m`;
};
const percent = (share) => (isNumber(share) ? `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %` : '');
const clock = (seconds, withDay = true) => {
  if (!isNumber(seconds) || seconds <= 0 || seconds > 8e9) return '';
  const iso = new Date(seconds * 1000).toISOString();
  return withDay ? `${iso.slice(0, 10)} ${iso.slice(11, 19)}` : iso.slice(11, 19);
};
const many = (n, one, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

Object.assign(page, { h, visible, plain, isNumber, count, short, duration, percent, clock, many });
