import type { ComponentChildren } from 'preact';
import { beginning, visible } from '../explain.ts';
import type { RecordedResult, RunRecord } from '../record.ts';

/** Characters of a text that are put into a line, and into a box. */
const LINE = 400;
const BOX = 4000;

/** Text that a store may have written, in one line, with what cannot be shown spelled out. */
export const inline = (text: string, longest = LINE): string =>
  text.length > longest
    ? `${visible(beginning(text, longest))}… (${grouped(text.length)} characters)`
    : visible(text);

/** The same in as many lines as it has. */
export const lines = (text: string, longest = BOX): readonly string[] => [
  ...cut(text, longest).split('\n').map(visible),
  ...(text.length > longest ? [`… (${grouped(text.length)} characters)`] : []),
];

/** The beginning of a text, without half of a surrogate pair at its end. */
const cut = (text: string, longest: number) =>
  text.length > longest ? text.slice(0, longest).replace(/[\ud800-\udbff]$/, '') : text;

/** 2764 as 2,764, whatever the locale. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** Milliseconds as they are read: 4.08 ms, 1.2 s. */
export const time = (ms: number): string =>
  ms < 1000 ? `${Number(ms.toPrecision(3))} ms` : `${Number((ms / 1000).toPrecision(3))} s`;

/** How a result is told: a SHOULD that failed is a warning unless the run was strict. */
export type Tone = 'fail' | 'warn' | 'untestable' | 'pass' | 'observed' | 'skipped';

export const WORDS: Readonly<Record<Tone, string>> = {
  fail: 'failed',
  warn: 'warned',
  untestable: 'untestable',
  pass: 'passed',
  observed: 'observed',
  skipped: 'skipped',
};

export const toneOf = (
  { level, verdict }: Pick<RecordedResult, 'level' | 'verdict'>,
  { options }: { readonly options: Pick<RunRecord['options'], 'strict'> },
): Tone => (verdict === 'fail' && level === 'SHOULD' && !options.strict ? 'warn' : verdict);

/** A picture of the sprite, beside words that say the same. */
export const Icon = ({ name }: { readonly name: Tone | 'link' }) => (
  <svg class={`icon ${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <use href={`#icon-${name}`} />
  </svg>
);

/** Shapes that differ without their colours. */
const SHAPES: Readonly<Record<Tone | 'link', ComponentChildren>> = {
  pass: [
    <rect key="a" class="fill" width="16" height="16" rx="3" />,
    <path key="b" class="cut" d="M4 8.4l2.8 2.8L12 5.4" />,
  ],
  fail: [
    <rect key="a" class="fill" width="16" height="16" rx="3" />,
    <path key="b" class="cut" d="M4.7 4.7l6.6 6.6M11.3 4.7l-6.6 6.6" />,
  ],
  warn: [
    <path key="a" class="fill" d="M8 .6l7.6 14.2H.4z" stroke-linejoin="round" />,
    <path key="b" class="cut" d="M8 6v4M8 12.2v.3" />,
  ],
  untestable: [
    <rect key="a" class="line" x="1" y="1" width="14" height="14" rx="3" />,
    <path key="b" class="line" d="M5.8 6.2a2.2 2.2 0 1 1 3.3 1.9c-.8.5-1.1.8-1.1 1.6M8 11.8v.3" />,
  ],
  observed: [
    <circle key="a" class="line" cx="8" cy="8" r="6.8" />,
    <circle key="b" class="fill" cx="8" cy="8" r="2.6" />,
  ],
  skipped: [
    <rect key="a" class="line faint" x="1" y="1" width="14" height="14" rx="3" />,
    <path key="b" class="line" d="M5 8h6" />,
  ],
  link: (
    <path class="line" d="M6.5 9.5l3-3M7 4.5l1-1a3 3 0 0 1 4.5 4.5l-1 1M9 11.5l-1 1A3 3 0 0 1 3.5 8l1-1" />
  ),
};

export const Sprite = () => (
  <svg class="sprite" width="0" height="0" aria-hidden="true" focusable="false">
    {Object.entries(SHAPES).map(([name, shape]) => (
      <symbol key={name} id={`icon-${name}`} viewBox="0 0 16 16">
        {shape}
      </symbol>
    ))}
  </svg>
);

/** A link to a check in the list of all. */
export const CheckLink = ({ id }: { readonly id: string }) => (
  <a class="id" href={`#${id}`}>
    {id}
  </a>
);

/** A box that scrolls can be reached with the keyboard; one that does not is no stop on the way. */
export function Box({ text }: { readonly text: readonly string[] }) {
  // No line of the page begins with text of a store: where a page goes to a log, that may be an order.
  const broken = text.map((line, index) => (index === 0 ? line : [<br key={index} />, line]));
  const long = text.length > 16 || text.reduce((sum, line) => sum + line.length, 0) > 700;
  return long ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
    <pre class="long" tabIndex={0}>
      {broken}
    </pre>
  ) : (
    <pre>{broken}</pre>
  );
}

/** Characters of a command that can be copied from a page. */
const LONGEST_COMMAND = 40_000;

/** A command with a button that copies it exactly, whatever the page has to spell out. */
export function Command({ name, text }: { readonly name: string; readonly text: string }) {
  const shown = visible(text.slice(0, LONGEST_COMMAND));
  const whole = text.length <= LONGEST_COMMAND;
  return (
    <div class="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll. */}
      <pre class="command" tabIndex={0}>
        <code data-exact={shown === text || !whole ? undefined : exact(text)}>
          {whole ? shown : `${inline(text)}: too long for a page; it is in the record`}
        </code>
      </pre>
      {whole && (
        <button type="button" class="copy" data-said={`${name} is copied.`} hidden>
          Copy<span class="aside"> {name.toLowerCase()}</span>
        </button>
      )}
    </div>
  );
}

/** JSON of a text in characters that a page may hold. */
const exact = (text: string): string =>
  JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?<=#)#/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
