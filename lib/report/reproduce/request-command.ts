import type { RecordedRequest } from '../record/record.ts';
import { curlArguments } from './curl-command.ts';
import { isChunked, type OnConnection, type Showing } from './on-connection.ts';
import { overSocket } from './socket-command.ts';

/** A command that sends requests over one connection. */
export const sending = (requests: readonly OnConnection[], showing: Showing): string =>
  requests.some(({ request, pipelined }) => pipelined === true || !suitsCurl(request))
    ? overSocket(requests, showing)
    : requests
        .map(({ request }, index) => {
          const isLast = index === requests.length - 1;
          const shows = isLast || showing.shows === 'response' ? showing.shows : 'nothing';
          return curlArguments(request, { ...showing, shows }).join(' ');
        })
        .join(' --next ')
        .replace(/^/, 'curl ');

/** Whether curl sends the same, apart from the order of headers. It sends a body in one segment and one chunk. */
function suitsCurl(request: RecordedRequest): boolean {
  const { method, headers, body, delivery = {} } = request;
  const { cuts, headFirst, headCut, leadingZeros, headerGap, headerOrder, abortAfter, chunks } = delivery;
  return (
    [cuts, headFirst, headCut, leadingZeros, headerGap, headerOrder, abortAfter].every(
      (one) => one === undefined,
    ) &&
    !(isChunked(request) && chunks !== 'one') &&
    !(method === 'HEAD' && body.bytes > 0) &&
    headers.filter(([name]) => name.toLowerCase() === 'host').length === 1
  );
}
