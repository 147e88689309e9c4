import { describe, expect, test, vi } from 'vitest';
import { Deadline } from '../lib/wire/deadline.ts';

const WAIT_MS = 100;

/** Blocks the event loop. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('a deadline', () => {
  test('passes once, after the given time', async () => {
    const onPassed = vi.fn();
    const deadline = new Deadline(WAIT_MS, onPassed);
    await vi.waitFor(() => expect(onPassed).toHaveBeenCalled(), { timeout: 20 * WAIT_MS });
    deadline.refresh();
    await new Promise((resolve) => setTimeout(resolve, 2 * WAIT_MS));
    expect(onPassed).toHaveBeenCalledTimes(1);
  });

  test('is extended while our own process is too busy to read', async () => {
    const seen: string[] = [];
    const deadline = new Deadline(WAIT_MS, () => seen.push('passed'));
    // Data that has arrived meanwhile is read after the timers that are due.
    setTimeout(() => {
      block(4 * WAIT_MS);
      setTimeout(() => {
        seen.push('response');
        deadline.stop();
      }, WAIT_MS / 10);
    }, WAIT_MS / 10);
    await vi.waitFor(() => expect(seen).not.toEqual([]), { timeout: 20 * WAIT_MS });
    expect(seen).toEqual(['response']);
  });

  test('does not count a pause in the middle', async () => {
    const seen: string[] = [];
    const deadline = new Deadline(WAIT_MS, () => seen.push('passed'));
    setTimeout(() => {
      block(0.7 * WAIT_MS);
      setTimeout(() => {
        seen.push('response');
        deadline.stop();
      }, WAIT_MS / 2);
    }, WAIT_MS / 10);
    await vi.waitFor(() => expect(seen).not.toEqual([]), { timeout: 20 * WAIT_MS });
    expect(seen).toEqual(['response']);
  });

  test('does not pass once it is stopped', async () => {
    const onPassed = vi.fn();
    new Deadline(WAIT_MS / 10, onPassed).stop();
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    expect(onPassed).not.toHaveBeenCalled();
  });
});
