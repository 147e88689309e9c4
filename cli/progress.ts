import type { WriteStream } from 'node:tty';
import { short } from '../lib/report/explain.ts';
import type { Redact } from '../lib/report/redact.ts';
import type { RunEvent } from '../lib/run/run.ts';

/** Milliseconds after which whoever waits for a run is told of failures as they are found. */
const LONG = 10_000;

/**
 * Tells how far a run is, in a line that is written over, where somebody sees it move; and what has failed, a
 * line for each cause, where somebody does or the run takes long.
 */
export function progress(stream: WriteStream, redact: Redact): (event: RunEvent) => void {
  const moving = stream.isTTY && !process.env.CI;
  const began = Date.now();
  const [back, clear] = moving ? ['\r', '\u001b[K'] : ['', ''];
  let [total, place, current, failed] = [0, 0, '', 0];
  let untold: string[] = [];
  return (event) => {
    if (event.type === 'start') total = event.header.planned.length;
    if (event.type === 'check') [place, current] = [event.index + 1, event.id];
    if (event.type === 'result' && event.result.verdict === 'fail') failed += 1;
    if (event.type === 'failure') untold.push(told(event, redact));
    if (event.type === 'end') {
      stream.write(`${back}${clear}`);
      return;
    }
    if (moving || Date.now() - began > LONG) {
      for (const line of untold) stream.write(`${back}${clear}${line}\n`);
      untold = [];
    }
    if (!moving) return;
    const requests = event.type === 'progress' ? `  ${event.requests} requests` : '';
    stream.write(
      `${back}[${place}/${total}] ${current}${failed > 0 ? `  ${failed} failed` : ''}${requests}${clear}`,
    );
  };
}

const told = ({ id, level, failure }: RunEvent & { readonly type: 'failure' }, redact: Redact): string =>
  short(redact(`${level} ${id} fails: ${failure.finding.cause} (${failure.label})`), 200);
