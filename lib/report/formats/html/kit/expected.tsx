import { capitalised } from '../../../../text.ts';
import { visible } from '../../../wording/format-text.ts';
import { inline } from './text.tsx';

/** Shows expected next to actual. If they are similar, highlights the difference. */
export function ExpectedAndActual({ expected, actual }: Readonly<{ expected?: string; actual?: string }>) {
  if (expected === undefined || actual === undefined) return null;
  const texts = { expected, actual };
  const parts = difference(expected, actual);
  return (
    <dl class="comparison">
      {(['expected', 'actual'] as const).map((name) => (
        <div class={name}>
          <dt>{capitalised(name)}</dt>
          <dd>{parts === undefined ? inline(texts[name]) : <Marked parts={parts[name]} />}</dd>
        </div>
      ))}
    </dl>
  );
}

type Parts = readonly [before: string, differs: string, after: string];

const Marked = ({ parts: [before, differs, after] }: Readonly<{ parts: Parts }>) => (
  <>
    {ending(before)}
    {differs === '' ? <mark class="nothing" title="missing" /> : <mark>{inline(differs, 200)}</mark>}
    {inline(after, 100)}
    <CodePoints text={differs} />
  </>
);

/** Shows the code points of a few characters that may look like others. */
function CodePoints({ text }: Readonly<{ text: string }>) {
  const points = [...text].map((character) => character.codePointAt(0) ?? 0);
  if (points.length > 8 || points.every((point) => point < 0x80)) return null;
  return (
    <span class="aside">
      {' '}
      ({points.map((point) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`).join(' ')})
    </span>
  );
}

/** The end of a long text that precedes the difference. */
const ending = (text: string) =>
  text.length > 120 ? `…${visible(text.slice(-120).replace(/^[\udc00-\udfff]/, ''))}` : visible(text);

/** Finds where two texts differ; undefined if they have too little in common for highlighting to help. */
export function difference(expected: string, actual: string) {
  // What is expected of a property begins with its name: `name "Aloe"`.
  const [label = ''] = /^(?:name|tag) (?=")/.exec(expected) ?? [];
  const [a, b] = [[...expected.slice(label.length)], [...actual]];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  // If a value should have been echoed, highlighting helps with any difference.
  const isEcho = label !== '' && actual.startsWith('"');
  const similar = start + end >= 4 && (start + end) * 2 >= Math.max(a.length, b.length);
  if (!(isEcho || similar) || expected === actual) return undefined;
  const parts = (text: readonly string[], before: string): Parts => [
    before + text.slice(0, start).join(''),
    text.slice(start, text.length - end).join(''),
    text.slice(text.length - end).join(''),
  ];
  return { expected: parts(a, label), actual: parts(b, '') };
}
