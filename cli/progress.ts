import type { WriteStream } from 'node:tty';
import type { Redact } from '../lib/report/redact.ts';
import { summarise } from '../lib/report/text.ts';
import type { RunEvent } from '../lib/run/run.ts';

/** Milliseconds after which failures are printed as they are found. */
const PROGRESS_AFTER_MS = 10_000;

/**
 * Shows the progress of a run. On a terminal, a status line is updated in place and each failure is printed at once;
 * elsewhere, failures are printed only if the run takes long.
 */
export function progress(stream: WriteStream, redact: Redact): (event: RunEvent) => void {
  const interactive = stream.isTTY && !process.env.CI;
  const began = Date.now();
  const [toLineStart, clear] = interactive ? ['\r', '\u001b[K'] : ['', ''];
  let [total, position, current, failed] = [0, 0, '', 0];
  let pending: string[] = [];
  return (event) => {
    if (event.type === 'start') total = event.header.planned.length;
    if (event.type === 'check') [position, current] = [event.index + 1, event.id];
    if (event.type === 'result' && event.result.verdict === 'fail') failed += 1;
    if (event.type === 'failure') pending.push(formatFailure(event, redact));
    if (event.type === 'end') {
      stream.write(`${toLineStart}${clear}`);
      return;
    }
    if (interactive || Date.now() - began > PROGRESS_AFTER_MS) {
      for (const line of pending) stream.write(`${toLineStart}${clear}${line}\n`);
      pending = [];
    }
    if (!interactive) return;
    const requests = event.type === 'progress' ? `  ${event.requests} requests` : '';
    stream.write(
      `${toLineStart}[${position}/${total}] ${current}${failed > 0 ? `  ${failed} failed` : ''}${requests}${clear}`,
    );
  };
}

const formatFailure = (
  { id, level, failure }: RunEvent & { readonly type: 'failure' },
  redact: Redact,
): string => summarise(redact(`${level} ${id} fails: ${failure.finding.cause} (${failure.label})`), 200);
