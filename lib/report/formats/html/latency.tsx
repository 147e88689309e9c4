import { groupBy, sum } from '../../../collections.ts';
import type { Latency as LatencyData } from '../../../run/send/latency.ts';
import { counted, withSeparators } from '../../../text.ts';
import type { RunRecord } from '../../record/record.ts';
import { percent, placeOf, ticksOf } from './kit/axis.ts';
import { More, Section } from './kit/section.tsx';
import { time } from './kit/text.tsx';

export function Latency({ record: { latency, options } }: Readonly<{ record: RunRecord }>) {
  return (
    <Section id="latency" heading="Response times">
      {latency === null ? (
        <p class="note">There were no responses.</p>
      ) : (
        <>
          <p>
            {counted(latency.answers, 'response')}: median <strong>{time(latency.median)}</strong>, 95th
            percentile <strong>{time(latency.p95)}</strong>, 99th percentile{' '}
            <strong>{time(latency.p99)}</strong>, longest <strong>{time(latency.longest)}</strong>, with at
            most {counted(options.concurrency, 'request')} at a time.
          </p>
          <Plot latency={latency} />
          <Table latency={latency} />
        </>
      )}
    </Section>
  );
}

/** In pixels. Horizontal lengths are percentages: the plot fits any width, and its text keeps its size. */
const TOP = 58;
const HEIGHT = 140;
const FOOT = 26;

function Plot({ latency: { buckets, median, p95, p99, answers } }: Readonly<{ latency: LatencyData }>) {
  const [low, high] = [buckets[0]?.from ?? 1, buckets.at(-1)?.to ?? 2];
  const at = (ms: number) => placeOf(ms, { low, high });
  const most = Math.max(...buckets.map((bucket) => bucket.answers), 1);
  return (
    <svg
      class="plot"
      width="100%"
      height={TOP + HEIGHT + FOOT}
      role="img"
      aria-label={`Distribution of ${counted(answers, 'response time')} on a logarithmic axis from ${time(low)} to ${time(high)}: median ${time(median)}, 95th percentile ${time(p95)}, 99th percentile ${time(p99)}.`}
    >
      {ticksOf({ low, high }).map((ms) => (
        <g>
          <line class="grid" x1={percent(at(ms))} x2={percent(at(ms))} y1={TOP} y2={TOP + HEIGHT + 5} />
          <text class="tick" x={percent(at(ms))} y={TOP + HEIGHT + 20} text-anchor={anchor(at(ms))}>
            {time(ms)}
          </text>
        </g>
      ))}
      {buckets.map(({ from, to, answers: count }) => {
        const height = Math.max((HEIGHT * count) / most, 2);
        return (
          <rect
            class="bar"
            x={percent(at(from) + 0.1)}
            width={percent(Math.max(at(to) - at(from) - 0.2, 0.1))}
            y={(TOP + HEIGHT - height).toFixed(1)}
            height={height.toFixed(1)}
          />
        );
      })}
      <line class="axis" x1="0" x2="100%" y1={TOP + HEIGHT} y2={TOP + HEIGHT} />
      {(
        [
          ['median', median],
          ['95%', p95],
          ['99%', p99],
        ] as const
      ).map(([name, ms], row) => (
        <g class="mark">
          <line x1={percent(at(ms))} x2={percent(at(ms))} y1={6 + row * 18} y2={TOP + HEIGHT} />
          <text
            x={percent(at(ms))}
            dx={at(ms) > 75 ? -6 : 6}
            y={15 + row * 18}
            text-anchor={at(ms) > 75 ? 'end' : 'start'}
          >
            {name} {time(ms)}
          </text>
        </g>
      ))}
    </svg>
  );
}

const anchor = (at: number) => (at < 7 ? 'start' : at > 93 ? 'end' : 'middle');

/** The distribution as a table. Each row covers twice the time of the previous one. */
function Table({ latency: { buckets, answers } }: Readonly<{ latency: LatencyData }>) {
  const doublings = groupBy(buckets, ({ from }) => String(Math.floor(Math.log2(from) + 0.01)));
  let seen = 0;
  return (
    <More summary="The distribution in numbers">
      <table>
        <thead>
          <tr>
            <th scope="col">Up to</th>
            <th scope="col">Responses</th>
            <th scope="col">Cumulative</th>
          </tr>
        </thead>
        <tbody>
          {doublings.map(([power, members]) => {
            const answersInRow = sum(members, (bucket) => bucket.answers);
            seen += answersInRow;
            return (
              <tr>
                <td>{time(2 ** (Number(power) + 1))}</td>
                <td>{withSeparators(answersInRow)}</td>
                <td>{((100 * seen) / Math.max(answers, 1)).toFixed(1)}%</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </More>
  );
}
