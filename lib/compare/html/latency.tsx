import { type Axis, placeOf as at, percent, ticksOf } from '../../report/formats/html/kit/axis.ts';
import { Section } from '../../report/formats/html/kit/section.tsx';
import { time } from '../../report/formats/html/kit/text.tsx';
import type { Comparison } from '../comparison.ts';
import type { RunColumn } from '../table.ts';
import {
  NumberCell,
  nameOf,
  numbered,
  Scrolling,
  SortableHead,
  StoreLink,
  VisuallyHidden,
} from './page-parts.tsx';

export function Latency({ comparison }: Readonly<{ comparison: Comparison }>) {
  const answered = numbered(comparison).flatMap(({ column, number }) =>
    column.state === 'run' && column.latency !== null ? [{ column, number, latency: column.latency }] : [],
  );
  const silent = comparison.columns.filter((one) => answered.every(({ column }) => column !== one));
  const axis = axisOf(answered.map(({ latency }) => latency));
  return (
    <Section id="latency" heading="Response times">
      {answered.length === 0 ? (
        <p class="note">There were no responses.</p>
      ) : (
        <>
          <p class="note">
            All stores share one logarithmic axis: a dot at the median, a thick bar to the 95th percentile, a
            thin one to the 99th, and a line to the longest response time.
          </p>
          <Scrolling name="Table of response times">
            <table class="sortable times" id="latency-table">
              <thead>
                <tr>
                  <SortableHead>Store</SortableHead>
                  <th scope="col" class="axis">
                    <VisuallyHidden>On a logarithmic axis</VisuallyHidden>
                    <Ticks axis={axis} />
                  </th>
                  {NUMBERS.map(([word]) => (
                    <SortableHead number>{word}</SortableHead>
                  ))}
                </tr>
              </thead>
              <tbody>
                {answered.map(({ column, number, latency }) => (
                  <tr>
                    <th scope="row" data-value={nameOf(column).toLowerCase()}>
                      <StoreLink column={column} number={number} />
                    </th>
                    <td class="axis">
                      <Plot latency={latency} axis={axis} />
                    </td>
                    {NUMBERS.map(([, key]) => (
                      <NumberCell value={latency[key]}>{time(latency[key])}</NumberCell>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scrolling>
          <p class="note">
            Measured by the suite while it also tested other stores, so differences of a few milliseconds are
            not significant.
            {silent.length > 0 && ` Without responses: ${silent.map(nameOf).join(', ')}.`}
          </p>
        </>
      )}
    </Section>
  );
}

type LatencyData = NonNullable<RunColumn['latency']>;

const NUMBERS = [
  ['Median', 'median'],
  ['95%', 'p95'],
  ['99%', 'p99'],
  ['Longest', 'longest'],
] as const;

/** An axis from the shortest median to the longest response time, with a margin. */
const axisOf = (all: readonly LatencyData[]): Axis => ({
  low: Math.max(Math.min(...all.map(({ median }) => median)) / 1.6, 0.001),
  high: Math.max(...all.map(({ longest }) => longest), 0.01) * 1.15,
});

const HEIGHT = 36;
const MIDDLE = HEIGHT / 2;

/** A thick bar from the median to the 95th percentile, a thinner one to the 99th, a line to the longest. */
function Plot({
  latency: { median, p95, p99, longest },
  axis,
}: Readonly<{ latency: LatencyData; axis: Axis }>) {
  const x = (ms: number) => percent(at(ms, axis));
  const bar = (name: string, to: number, height: number) => (
    <rect
      class={name}
      x={x(median)}
      width={percent(at(to, axis) - at(median, axis))}
      y={MIDDLE - height / 2}
      height={height}
    />
  );
  return (
    <svg class="plot" width="100%" height={HEIGHT} aria-hidden="true" focusable="false">
      {ticksOf(axis).map((ms) => (
        <line class="grid" x1={x(ms)} x2={x(ms)} y1="0" y2={HEIGHT} />
      ))}
      <line class="tail" x1={x(median)} x2={x(longest)} y1={MIDDLE} y2={MIDDLE} />
      {bar('span', p99, 4)}
      {bar('box', p95, 10)}
      <circle class="median" cx={x(median)} cy={MIDDLE} r="5.5" />
      <line class="end" x1={x(longest)} x2={x(longest)} y1={MIDDLE - 5} y2={MIDDLE + 5} />
    </svg>
  );
}

function Ticks({ axis }: Readonly<{ axis: Axis }>) {
  return (
    <svg class="plot" width="100%" height="20" aria-hidden="true" focusable="false">
      {ticksOf(axis).map((ms) => (
        <text class="tick" x={percent(at(ms, axis))} y="14" text-anchor="middle">
          {time(ms)}
        </text>
      ))}
    </svg>
  );
}
