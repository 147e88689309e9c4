import { percent } from '../../report/formats/html/kit/axis.ts';
import { Section } from '../../report/formats/html/kit/section.tsx';
import { inline, ToneWord, time } from '../../report/formats/html/kit/text.tsx';
import { countToJudge } from '../../run/result/verdict.ts';
import { withSeparators } from '../../text.ts';
import type { Comparison } from '../comparison.ts';
import { type RunColumn, reasonOf, VERDICTS, verdictOf } from '../table.ts';
import {
  NumberCell,
  type Numbered,
  nameOf,
  numbered,
  Scrolling,
  SortableHead,
  VisuallyHidden,
} from './page-parts.tsx';

export function Stores({ comparison }: Readonly<{ comparison: Comparison }>) {
  const hasImplementations = comparison.columns.some(({ implementation }) => implementation !== undefined);
  return (
    <Section id="stores" heading="Stores">
      <Scrolling name="Table of stores">
        <table class="sortable" id="stores-table">
          <thead>
            <tr>
              <SortableHead>Store</SortableHead>
              <SortableHead>Verdict</SortableHead>
              <SortableHead first="descending">MUST</SortableHead>
              <SortableHead first="descending">SHOULD</SortableHead>
              <SortableHead number>Median</SortableHead>
              <SortableHead number>95%</SortableHead>
              <SortableHead number>Requests</SortableHead>
              {hasImplementations && <SortableHead>Language</SortableHead>}
            </tr>
          </thead>
          <tbody>
            {numbered(comparison).map((one) => (
              <Store {...one} hasImplementations={hasImplementations} />
            ))}
          </tbody>
        </table>
      </Scrolling>
      <p class="note">MUST and SHOULD: passed checks of those that apply. Median and 95%: response times.</p>
    </Section>
  );
}

function Store({ column, number, hasImplementations }: Numbered & { readonly hasImplementations: boolean }) {
  const { implementation } = column;
  const language = inline(implementation?.language ?? '', 40);
  const verdict = verdictOf(column);
  const reason = reasonOf(column);
  return (
    <tr id={`store-${number}`}>
      <th scope="row" data-value={nameOf(column).toLowerCase()}>
        {nameOf(column)}
        {implementation !== undefined && (
          <span class="framework">
            {inline(implementation.framework, 60)} {inline(implementation.version, 60)}
          </span>
        )}
      </th>
      <td data-value={VERDICTS.indexOf(verdict)} class="store-verdict">
        <ToneWord tone={verdict.icon}>{verdict.words}</ToneWord>
        {reason !== undefined && <span class="why">{inline(reason)}</span>}
        {column.state === 'run' && column.advice !== null && <span class="why">{inline(column.advice)}</span>}
      </td>
      {column.state === 'run' && column.latency !== null ? (
        <>
          <CountCell counts={column.summary.MUST} />
          <CountCell counts={column.summary.SHOULD} />
          <NumberCell value={column.latency.median}>{time(column.latency.median)}</NumberCell>
          <NumberCell value={column.latency.p95}>{time(column.latency.p95)}</NumberCell>
          <NumberCell value={column.requests}>{withSeparators(column.requests)}</NumberCell>
        </>
      ) : (
        // The counts of a store that never responded are meaningless.
        [...Array(5).keys()].map((index) => (
          <td class={index < 2 ? 'aside' : 'aside number'}>
            <span aria-hidden="true">–</span>
            <VisuallyHidden>none</VisuallyHidden>
          </td>
        ))
      )}
      {hasImplementations && <td data-value={language.toLowerCase()}>{language}</td>}
    </tr>
  );
}

function CountCell({ counts }: Readonly<{ counts: RunColumn['summary']['MUST'] }>) {
  const { pass, fail, untestable } = counts;
  const all = countToJudge(counts);
  const width = (count: number) => percent((100 * count) / Math.max(all, 1));
  return (
    <td data-value={(pass / Math.max(all, 1)).toFixed(6)} class="count">
      <strong>{pass}</strong> of {all}
      <svg class="bar" width="100%" height="6" aria-hidden="true" focusable="false">
        <rect class="pass" width={width(pass)} height="6" />
        <rect class="fail" x={width(pass)} width={width(fail)} height="6" />
        <rect class="untestable" x={width(pass + fail)} width={width(untestable)} height="6" />
      </svg>
      {untestable > 0 && <span class="why">{untestable} untestable</span>}
    </td>
  );
}
