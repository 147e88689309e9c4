import { Raw } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { headerValues } from '../../wire/headers.ts';
import { valueWords } from '../explanation/condition.ts';
import type { Candidate, CandidateClass, Sweep } from './candidates.ts';
import { withHeader } from './headers.ts';

/** A value with more members than this is decisive as a whole, such as a query of many parameters. */
const MAX_MEMBERS = 6;

/** Tries each member of a list alone, such as one parameter of a query; undefined if there are too few or many. */
function memberSweep(
  part: string,
  members: readonly string[],
  phraseFor: (member: string) => string,
  withOnly: (request: ModelRequest, member: string) => ModelRequest,
  classes: readonly (readonly [phrase: string, has: RegExp])[] = [],
): Sweep | undefined {
  if (members.length < 2 || members.length > MAX_MEMBERS) return undefined;
  return {
    part,
    candidates: members.map(
      (member): Candidate => ({
        value: member,
        condition: { phrase: phraseFor(member) },
        apply: (request) => withOnly(request, member),
        classes: classes.filter(([, has]) => has.test(member)).map(([phrase]) => phrase),
      }),
    ),
    classes: classes.map(([phrase]): CandidateClass => ({ id: phrase, condition: { phrase } })),
  };
}

const CHARACTERS: Readonly<Record<string, string>> = {
  '/': 'a slash',
  '?': 'a second question mark',
  '%2e': 'an encoded dot (%2e)',
  '%2f': 'an encoded slash (%2f)',
  '%E9': 'an encoded byte that is not UTF-8 (%E9)',
};

/** Tries the parameters of a query alone or, if there is only one, its unusual characters. */
export function querySweep({ template: { path = '' } }: ModelRequest): Sweep | undefined {
  const [resource, ...rest] = path.split('?');
  const query = rest.join('?');
  const withQuery = (request: ModelRequest, text: string): ModelRequest => ({
    ...request,
    template: { ...request.template, path: `${resource}?${text}` },
  });
  const parameters = query.split('&');
  if (parameters.length > 1)
    return memberSweep(
      'query parameter',
      parameters,
      (one) => `with ${one.split('=')[0]} in the query`,
      withQuery,
    );
  const unusual = [...new Set(query.match(/%[0-9a-f]{2}|[^\w=.-]/gi))];
  return memberSweep(
    'character of the query',
    unusual,
    (one) => `with ${CHARACTERS[one] ?? one} in the query`,
    (request, one) => withQuery(request, `q=a${one}b`),
    [['with percent-encoded characters in the query', /%/]],
  );
}

/** Tries the media ranges of Accept alone. `application/json` stays, so that the store can answer. */
export function acceptSweep({ template: { headers = [] } }: ModelRequest): Sweep | undefined {
  const ranges = headerValues(headers, 'accept')
    .join(',')
    .split(/\s*,\s*/);
  return memberSweep(
    'media range',
    ranges,
    (range) => `with ${valueWords(range.replace(/\s*;\s*q=.*/, ''))} in Accept`,
    (request, range) =>
      withHeader(
        request,
        'accept',
        range.startsWith('application/json') ? range : `${range}, application/json`,
      ),
  );
}

/** Tries the escapes of a string one by one (RFC 8259 section 7). */
export const escapeSweep: Sweep | undefined = memberSweep(
  'escape',
  ['\\/', '\\b', '\\n', '\\t', '\\"', '\\\\'],
  (one) => `with ${one} in a string`,
  (request, one) => ({ ...request, plant: request.plant.with('notes', new Raw(`"a${one}b"`)) }),
  [['with \\b, \\n or \\t in a string', /[bnt]/]],
);
