import type { RunRecord } from '../record/record.ts';

const LABEL = 'Plant Store API';

/** On each of these colours, white text has a contrast of at least 4.5 to 1. */
const COLOURS = {
  conformant: '#1a7f37',
  nonconformant: '#cf222e',
  undetermined: '#59636e',
  partial: '#59636e',
} as const;

const PADDING = 8;
const HEIGHT = 20;
/** Average width of a character in common sans-serif fonts at this size. */
const CHARACTER = 6.6;
const FONT_SIZE = 11;

const widthOf = (text: string) => Math.round(text.length * CHARACTER) + 2 * PADDING;

/** Draws the verdict of a run as an SVG, for a page about the store. Contains nothing that the store sent. */
export function badge(record: RunRecord): string {
  const { outcome, suite } = record;
  const verdict = verdictOf(record);
  const [left, right] = [widthOf(LABEL), widthOf(verdict)];
  const text = (words: string, from: number, width: number) =>
    `<text x="${from + width / 2}" y="14" textLength="${width - 2 * PADDING}">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${LABEL}: ${verdict}">
  <title>${LABEL}: ${verdict}</title>
  <desc>${suite.name}</desc>
  <rect width="${left}" height="${HEIGHT}" fill="#24292f"/>
  <rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLOURS[outcome]}"/>
  <g fill="#fff" font-family="sans-serif" font-size="${FONT_SIZE}" text-anchor="middle">
    ${text(LABEL, 0, left)}
    ${text(verdict, left, right)}
  </g>
</svg>
`;
}

function verdictOf({ outcome, summary }: RunRecord): string {
  if (outcome === 'conformant') return outcome;
  if (outcome === 'undetermined') return 'not judged';
  const level = outcome === 'nonconformant' && summary.MUST.fail === 0 ? 'SHOULD' : 'MUST';
  const { pass, fail, untestable, skipped } = summary[level];
  return `${level} ${pass} of ${pass + fail + untestable + (outcome === 'partial' ? skipped : 0)}`;
}
