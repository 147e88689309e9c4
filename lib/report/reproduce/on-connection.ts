import { hasHeader } from '../../wire/headers.ts';
import type { RecordedRequest } from '../record/record.ts';

/** A request on a connection. `pipelined`: the next one is sent without waiting for its response. */
export interface OnConnection {
  readonly request: RecordedRequest;
  readonly pipelined?: boolean;
}

export interface Showing {
  /** What of the last response is printed. The others are printed only with the whole response. */
  readonly shows: 'response' | 'status' | 'nothing';
  /** Gives up after some seconds without a response. */
  readonly givesUp: boolean;
  /** The names of the variables that stand for numerals. */
  readonly variables: ReadonlyMap<string, string>;
}

export const MAX_SECONDS = 10;

export const isChunked = ({ headers }: RecordedRequest) => hasHeader(headers, 'transfer-encoding');

/** The origin and the target of a URL, which may be one that no parser accepts. */
export function dividedUrl(url: string): { readonly origin: string; readonly target: string } {
  const [, origin = url, target = '/'] = /^([a-z]+:\/\/[^/?#]+)([\s\S]*)$/i.exec(url) ?? [];
  return { origin, target };
}

export const latin1 = (text: string) => Buffer.from(text).toString('latin1');
