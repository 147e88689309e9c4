import { describe, expect, test, vi } from 'vitest';
import { Patience } from '../lib/wire/patience.ts';

const WAIT_MS = 100;

/** Keeps this process from doing anything else. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('waiting for an answer', () => {
  test('ends once, after so long', async () => {
    const over = vi.fn();
    const patience = new Patience(WAIT_MS, over);
    await vi.waitFor(() => expect(over).toHaveBeenCalled(), { timeout: 20 * WAIT_MS });
    patience.refresh();
    await new Promise((resolve) => setTimeout(resolve, 2 * WAIT_MS));
    expect(over).toHaveBeenCalledTimes(1);
  });

  test('does not hold against a store what our own process was too busy to read', async () => {
    const seen: string[] = [];
    const patience = new Patience(WAIT_MS, () => seen.push('over'));
    // What has arrived meanwhile is read after the timers that are due.
    setTimeout(() => {
      block(4 * WAIT_MS);
      setTimeout(() => {
        seen.push('answer');
        patience.stop();
      }, WAIT_MS / 10);
    }, WAIT_MS / 10);
    await vi.waitFor(() => expect(seen).not.toEqual([]), { timeout: 20 * WAIT_MS });
    expect(seen).toEqual(['answer']);
  });

  test('ends no more once it is stopped', async () => {
    const over = vi.fn();
    new Patience(WAIT_MS / 10, over).stop();
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    expect(over).not.toHaveBeenCalled();
  });
});
