import type { ComponentChildren } from 'preact';
import { sum } from '../../../../collections.ts';
import { docsOf, listCommandLine } from '../../../../package.ts';
import { counted, withSeparators } from '../../../../text.ts';
import type { RecordedBody, RecordedResult, RunRecord } from '../../../record/record.ts';
import { documentName } from '../../../wording/facts.ts';
import { beginning, characters, escaped, visible } from '../../../wording/format-text.ts';

const MAX_LINE_CHARACTERS = 400;
export const MAX_BOX_CHARACTERS = 4000;

/** Writes untrusted text on one line, with unprintable characters escaped. */
export const inline = (text: string, maxCharacters = MAX_LINE_CHARACTERS): string =>
  text.length > maxCharacters
    ? `${visible(beginning(text, maxCharacters))}… (${withSeparators(text.length)} characters)`
    : visible(text);

export const lines = (text: string, maxCharacters = MAX_BOX_CHARACTERS): readonly string[] => [
  ...characters(text, maxCharacters).split('\n').map(visible),
  ...(text.length > maxCharacters ? [`… (${withSeparators(text.length)} characters)`] : []),
];

/** Returns a time in readable form: 4.08 ms, 1.2 s. */
export const time = (ms: number): string =>
  ms < 1000 ? `${Number(ms.toPrecision(3))} ms` : `${Number((ms / 1000).toPrecision(3))} s`;

/** How a result is presented: a failed SHOULD is a warning, unless the run was strict. */
export type Tone = 'fail' | 'warn' | 'untestable' | 'pass' | 'observed' | 'skipped';

/** The word for each tone, worst first. */
export const WORDS: Readonly<Record<Tone, string>> = {
  fail: 'failed',
  warn: 'failed (advisory)',
  untestable: 'untestable',
  pass: 'passed',
  observed: 'observed',
  skipped: 'skipped',
};

export const toneOf = (
  { level, verdict }: Pick<RecordedResult, 'level' | 'verdict'>,
  { options }: Readonly<{ options: Pick<RunRecord['options'], 'strict'> }>,
): Tone => (verdict === 'fail' && level === 'SHOULD' && !options.strict ? 'warn' : verdict);

interface ToneCount {
  readonly tone: Tone;
  readonly count: number;
}

/** Counts how often each tone occurs, worst first. Tones that do not occur are omitted. */
export const countTones = (tones: readonly Tone[]): readonly ToneCount[] =>
  (Object.keys(WORDS) as Tone[])
    .map((tone) => ({ tone, count: tones.filter((one) => one === tone).length }))
    .filter(({ count }) => count > 0);

export const countInWords = (counts: readonly ToneCount[]): string =>
  counts.map(({ tone, count }) => `${count} ${WORDS[tone]}`).join(', ');

export const ToneLabel = ({
  tone,
  children = WORDS[tone],
}: Readonly<{ tone: Tone; children?: ComponentChildren }>) => (
  <>
    <Icon name={tone} /> {children}
  </>
);

export const ToneWord = (label: Parameters<typeof ToneLabel>[0]) => (
  <span class={`word ${label.tone}`}>
    <ToneLabel {...label} />
  </span>
);

/** Renders a decorative icon. The text next to it says the same. */
export const Icon = ({ name }: Readonly<{ name: Tone | 'link' }>) => (
  <svg class={`icon ${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <use href={`#icon-${name}`} />
  </svg>
);

/** Shapes that can be told apart without colour. */
const SHAPES: Readonly<Record<Tone | 'link', ComponentChildren>> = {
  pass: [<rect class="fill" width="16" height="16" rx="3" />, <path class="cut" d="M4 8.4l2.8 2.8L12 5.4" />],
  fail: [
    <rect class="fill" width="16" height="16" rx="3" />,
    <path class="cut" d="M4.7 4.7l6.6 6.6M11.3 4.7l-6.6 6.6" />,
  ],
  warn: [
    <path class="fill" d="M8 .6l7.6 14.2H.4z" stroke-linejoin="round" />,
    <path class="cut" d="M8 6v4M8 12.2v.3" />,
  ],
  untestable: [
    <rect class="line" x="1" y="1" width="14" height="14" rx="3" />,
    <path class="line" d="M5.8 6.2a2.2 2.2 0 1 1 3.3 1.9c-.8.5-1.1.8-1.1 1.6M8 11.8v.3" />,
  ],
  observed: [<circle class="line" cx="8" cy="8" r="6.8" />, <circle class="fill" cx="8" cy="8" r="2.6" />],
  skipped: [
    <rect class="line" x="1" y="1" width="14" height="14" rx="3" />,
    <path class="line" d="M5 8h6" />,
  ],
  link: (
    <path class="line" d="M6.5 9.5l3-3M7 4.5l1-1a3 3 0 0 1 4.5 4.5l-1 1M9 11.5l-1 1A3 3 0 0 1 3.5 8l1-1" />
  ),
};

export const Sprite = () => (
  <svg class="sprite" width="0" height="0" aria-hidden="true" focusable="false">
    {Object.entries(SHAPES).map(([name, shape]) => (
      <symbol id={`icon-${name}`} viewBox="0 0 16 16">
        {shape}
      </symbol>
    ))}
  </svg>
);

export const CheckLink = ({ id }: Readonly<{ id: string }>) => (
  <a class="id" href={`#${id}`}>
    {id}
  </a>
);

export const AboutCheck = ({ id, href = docsOf(id) }: Readonly<{ id: string; href?: string | undefined }>) =>
  href === undefined ? (
    <span>
      About this check: <span class="code">{listCommandLine(id)}</span>
    </span>
  ) : (
    <a href={href} rel="noreferrer">
      About this check
    </a>
  );

/** Renders a fact of a list, unless it is undefined. */
export const Fact = ({
  name,
  children,
}: Readonly<{ name: ComponentChildren; children: ComponentChildren }>) =>
  children !== undefined && (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );

export const DocumentFact = ({ document }: Pick<RunRecord, 'document'>) => (
  <Fact name="Document">
    {documentName(document, (file) => inline(file.split(/[\\/]/).at(-1) ?? '', 100))}, version{' '}
    {inline(document.version, 40)}, sha256 <span class="code">{document.sha256.slice(0, 12)}</span>
  </Fact>
);

export const StartedFact = ({ startedAt, seconds }: Pick<RunRecord, 'startedAt' | 'seconds'>) => (
  <Fact name="Started">
    <time dateTime={startedAt}>{startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>, took{' '}
    {seconds.toFixed(1)} s
  </Fact>
);

export interface MarkedText {
  readonly text: string;
  readonly matters: boolean;
}

export type Line = string | readonly MarkedText[];

const markedUp = (line: Line): ComponentChildren =>
  typeof line === 'string'
    ? line
    : line.map(({ text, matters }) =>
        matters ? <mark>{visible(text)}</mark> : <span class="dim">{visible(text)}</span>,
      );

/** Renders a box for text. Focusable only if it may have to scroll. */
export function Box({ text }: Readonly<{ text: readonly Line[] }>) {
  // Untrusted text never begins a line of the page, since a runner that logs the page might take it for a
  // command.
  const broken = text.map((line, index) => [index > 0 && <br />, markedUp(line)]);
  const length = sum(text, (line) =>
    typeof line === 'string' ? line.length : sum(line, (one) => one.text.length),
  );
  const long = text.length > 16 || length > 700;
  return <pre {...(long ? { class: 'long', tabIndex: 0 } : {})}>{broken}</pre>;
}

export const Captioned = ({
  title,
  aside,
  text,
}: Readonly<{ title: string; aside: ComponentChildren; text: readonly Line[] }>) => (
  <figure>
    <figcaption>
      {title} <span class="aside">{aside}</span>
    </figcaption>
    <Box text={text} />
  </figure>
);

export const sizeOf = ({ bytes, truncated }: RecordedBody): string =>
  bytes === 0 ? 'no body' : `${counted(bytes, 'byte')}${truncated ? ', truncated' : ''}`;

/** Longer commands are left out of the page. */
const MAX_COMMAND_CHARACTERS = 40_000;

/**
 * Renders commands, one a line, with a button that copies them exactly, even where the page shows escapes.
 */
export function Commands({ list }: Readonly<{ list: readonly string[] }>) {
  const name = list.length === 1 ? 'The command' : 'The commands';
  if (list.length === 0) return null;
  const text = list.join('\n');
  const shown = list.map((one) => visible(one.slice(0, MAX_COMMAND_CHARACTERS)));
  const fits = text.length <= MAX_COMMAND_CHARACTERS;
  return (
    <div class="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll. */}
      <pre class="command" tabIndex={0}>
        <code data-exact={(list.length === 1 && shown[0] === text) || !fits ? undefined : exact(text)}>
          {fits
            ? shown.map((one, index) => (index === 0 ? one : [<br />, one]))
            : `${inline(text)}: too long for this page, see the record`}
        </code>
      </pre>
      {fits && (
        <CopyButton announcement={`${name} ${list.length === 1 ? 'was' : 'were'} copied.`}>
          Copy<span class="visually-hidden"> {name.toLowerCase()}</span>
        </CopyButton>
      )}
    </div>
  );
}

interface Copied {
  /** A text that is not itself on the page. */
  readonly text?: string;
  /** The id of the place whose link is copied. */
  readonly link?: string;
  readonly announcement: string;
  readonly children: ComponentChildren;
}

export const CopyButton = ({ text, link, announcement, children }: Copied) => (
  <button
    type="button"
    class="copy"
    data-exact={text === undefined ? undefined : exact(text)}
    data-link={link}
    data-announcement={announcement}
    hidden
  >
    {children}
  </button>
);

/** A text as JSON, using only characters that a page may contain. */
const exact = (text: string): string =>
  JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?<=#)#/gu, (character) =>
    character.split('').map(escaped).join(''),
  );
