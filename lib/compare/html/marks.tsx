import type { ComponentChildren } from 'preact';
import { Choice, Filter } from '../../report/formats/html/kit/filter.tsx';
import { List, Section } from '../../report/formats/html/kit/section.tsx';
import {
  countTones,
  Icon,
  inline,
  type Tone,
  ToneLabel,
  WORDS,
} from '../../report/formats/html/kit/text.tsx';
import type { Level } from '../../run/check.ts';
import { capitalised, counted } from '../../text.ts';
import type { Comparison } from '../comparison.ts';
import { verdictOf } from '../table.ts';
import {
  groupsOf,
  MIN_WIDE_COLUMNS,
  NumberCell,
  type NumberedRun,
  nameOf,
  Scrolling,
  SortableHead,
  triedOf,
  VisuallyHidden,
} from './page-parts.tsx';

interface Mark {
  readonly tone: Tone;
  readonly text?: string | undefined;
  readonly hasDetails: boolean;
}

export interface MarksRow {
  readonly id: string;
  readonly level: Level;
  readonly area?: string;
  readonly title: ComponentChildren;
  /** The words with which a search finds the row. */
  readonly words: readonly string[];
  readonly marks: readonly Mark[];
}

interface Props {
  readonly noun: 'cause' | 'check';
  readonly note: ComponentChildren;
  readonly search: string;
  /** Filters in addition to those for level and stores. */
  readonly filters?: ComponentChildren;
  readonly rows: readonly MarksRow[];
  readonly comparison: Comparison;
  /** The details of the rows. */
  readonly children: ComponentChildren;
}

/** Renders a section with a table: a row for each cause or check, a column for each store. */
export function Marks({ noun, note, search, filters, rows, comparison, children }: Props) {
  const id = `${noun}s`;
  const heading = capitalised(id);
  const tried = triedOf(comparison);
  const groups = groupsOf(comparison);
  const levels = ['MUST', 'SHOULD', 'OBSERVE'].filter((level) => rows.some((row) => row.level === level));
  return (
    <Section id={id} class="matrix" heading={heading}>
      <p class="note">{note}</p>
      <Legend rows={rows} />
      <Filter id={`${id}-filter`} search={search} rows={counted(rows.length, noun)}>
        <Choice name="level" label="Level" options={Object.fromEntries(levels.map((one) => [one, one]))} />
        {tried.length > 2 && groups.length > 1 && (
          <Choice
            name="stores"
            label="Stores"
            options={Object.fromEntries(groups.map((group, index) => [`g${index}`, inline(group, 40)]))}
          />
        )}
        {filters}
      </Filter>
      <div class="around">
        <Scrolling
          name={`${heading} by stores`}
          class={tried.length >= MIN_WIDE_COLUMNS ? 'marks-box many' : 'marks-box'}
        >
          <table class="sortable marks-table" id={`${id}-table`}>
            <thead>
              <tr>
                <SortableHead>{capitalised(noun)}</SortableHead>
                <SortableHead first="descending" number>
                  Fail at
                </SortableHead>
                {tried.map((one) => (
                  <Head one={one} groups={groups} />
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <MarkRow row={row} index={index} tried={tried} />
              ))}
            </tbody>
          </table>
        </Scrolling>
        <section class="panel" aria-label={`Details of a ${noun}`} hidden>
          <div class="panel-head">
            <h3 tabIndex={-1}>A cell</h3>
            <button type="button">Close</button>
          </div>
          <div class="panel-body" />
        </section>
      </div>
      <div class="by-row">
        <h3>
          {capitalised(noun)} by {noun}
        </h3>
        {children}
      </div>
    </Section>
  );
}

/** Explains the tones that occur in a table, except those of marks with a text. */
function Legend({ rows }: Pick<Props, 'rows'>) {
  const shown = countTones(
    rows.flatMap(({ marks }) => marks.flatMap(({ tone, text }) => (text === undefined ? [tone] : []))),
  );
  if (shown.length < 2) return null;
  return <List class="legend marks-legend" items={shown.map(({ tone }) => <ToneLabel tone={tone} />)} />;
}

function Head({
  one: { column, number },
  groups,
}: Readonly<{ one: NumberedRun; groups: readonly string[] }>) {
  const verdict = verdictOf(column);
  const own = [verdict.words, column.implementation?.language];
  return (
    <th
      scope="col"
      class="store"
      data-groups={groups.flatMap((group, index) => (own.includes(group) ? [`g${index}`] : [])).join(' ')}
      data-stopped={column.stop === null ? undefined : ''}
    >
      <a href={`#store-${number}`} title={nameOf(column)}>
        {inline(column.name, 40)}
      </a>
      <Icon name={verdict.icon} />
    </th>
  );
}

function MarkRow({
  row: { id, level, area, title, words, marks },
  index,
  tried,
}: Readonly<{ row: MarksRow; index: number; tried: readonly NumberedRun[] }>) {
  const failing = marks.filter(({ tone }) => tone === 'fail' || tone === 'warn').length;
  return (
    <tr id={id} data-level={level} data-area={area} data-text={words.join(' | ').toLowerCase()}>
      <th scope="row" data-value={index}>
        {title}
      </th>
      <NumberCell value={failing} />
      {marks.map(({ tone, text, hasDetails }, at) => {
        const mark = (
          <>
            {text ?? <Icon name={tone} />}
            <VisuallyHidden> {WORDS[tone]}</VisuallyHidden>
          </>
        );
        return <td class={tone}>{hasDetails ? <a href={`#${id}~${tried[at]?.number}`}>{mark}</a> : mark}</td>;
      })}
    </tr>
  );
}
