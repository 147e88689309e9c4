import type { WriteStream } from 'node:tty';
import type { RunEvent } from '../lib/run/run.ts';
import { counted, withSeparators } from '../lib/text.ts';

/** Milliseconds between progress lines: redrawn on a terminal, printed one after another elsewhere. */
const REDRAW_MS = 100;
const PRINT_MS = 10_000;

/** Percentage from which on the remaining time can be estimated. */
const MIN_PERCENTAGE = 3;

const USUAL_COLUMNS = 80;

export type ProgressEvent =
  | { readonly type: 'start'; readonly planned: number }
  | { readonly type: 'progress'; readonly requests: number }
  | { readonly type: 'failure'; readonly id: string }
  | { readonly type: 'result' | 'end' };

/** Returns what an event of a run means for its progress; undefined if nothing. */
export function progressOf(event: RunEvent): ProgressEvent | undefined {
  switch (event.type) {
    case 'start':
      return { type: 'start', planned: event.header.planned.length };
    case 'progress':
      return event;
    case 'failure':
      return { type: 'failure', id: event.id };
    case 'result':
    case 'end':
      return { type: event.type };
    default:
      return undefined;
  }
}

/**
 * Shows the progress of a run.
 * @param expected number of requests that the checks send to a store without faults
 */
export function progress(
  stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>,
  expected: number,
): (event: ProgressEvent) => void {
  const interactive = stream.isTTY && !process.env.CI;
  const began = Date.now();
  const failed = new Set<string>();
  let [planned, ended, requests] = [0, 0, 0];
  let checksEnded = began;
  const line = () => {
    const seconds = (Date.now() - began) / 1000;
    const rate = requests / seconds;
    const isDone = planned > 0 && ended === planned;
    // A faulty store gets more requests than expected.
    const percentage = Math.min(99, Math.floor((100 * requests) / expected));
    const secondsLeft = Math.ceil((expected - requests) / rate);
    const isForeseeable = !isDone && secondsLeft >= 1 && percentage >= MIN_PERCENTAGE;
    return [
      // How many experiments there will be depends on what they find.
      isDone
        ? `finding causes for ${duration(Math.round((Date.now() - checksEnded) / 1000))}`
        : `${percentage}%`,
      counted(requests, 'request'),
      `${withSeparators(Math.round(rate))}/s`,
      ...(isForeseeable ? [`about ${duration(secondsLeft)} left`] : []),
      ...(failed.size === 0 ? [] : [`${counted(failed.size, 'check')} failed`]),
    ].join('  ');
  };
  const draw = () =>
    void stream.write(
      interactive ? `\r${line().slice(0, (stream.columns ?? USUAL_COLUMNS) - 1)}\u001b[K` : `${line()}\n`,
    );
  // Driven by a timer rather than by events, so that it also shows that a run is waiting for its store.
  const timer = setInterval(draw, interactive ? REDRAW_MS : PRINT_MS).unref();
  return (event) => {
    if (event.type === 'start') planned = event.planned;
    if (event.type === 'progress') requests = event.requests;
    if (event.type === 'failure') failed.add(event.id);
    if (event.type === 'result') {
      ended += 1;
      checksEnded = Date.now();
    }
    if (event.type !== 'end') return;
    clearInterval(timer);
    if (interactive) stream.write('\r\u001b[K');
  };
}

const duration = (seconds: number): string =>
  seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
