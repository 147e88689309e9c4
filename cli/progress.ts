import type { WriteStream } from 'node:tty';
import type { RunEvent } from '../lib/run/run.ts';

/** One line that tells how far a run is; none where nobody would see it move. */
export function progress(stream: WriteStream): (event: RunEvent) => void {
  if (!stream.isTTY || process.env.CI) return () => {};
  const [back, clear] = ['\r', '\u001b[K'];
  let [total, place, current, failed] = [0, 0, '', 0];
  return (event) => {
    if (event.type === 'start') total = event.header.planned.length;
    if (event.type === 'check') [place, current] = [event.index + 1, event.id];
    if (event.type === 'result' && event.result.verdict === 'fail') failed += 1;
    if (event.type === 'end') {
      stream.write(`${back}${clear}`);
      return;
    }
    const requests = event.type === 'progress' ? `  ${event.requests} requests` : '';
    stream.write(
      `${back}[${place}/${total}] ${current}${failed > 0 ? `  ${failed} failed` : ''}${requests}${clear}`,
    );
  };
}
