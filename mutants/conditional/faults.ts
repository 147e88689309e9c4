import { deflateRawSync, gzipSync } from 'node:zlib';
import { Numeral, readJson, type Value } from '../../reference/json.ts';
import { type Answer, Rejection } from '../../reference/store.ts';
import type { Change } from '../fleet.ts';
import {
  acceptingCredential,
  acceptingKind,
  acceptingType,
  answering,
  answering400,
  answering400With,
  answeringHead,
  answeringText,
  answeringType,
  answeringValue,
  authorization,
  breakingOff,
  cutting,
  failing,
  hanging,
  html,
  parsing,
  plain,
  reading,
  rejecting,
  type Seen,
  somePlant,
  textOf,
  together,
} from '../helpers.ts';
import type { Fault } from './conditional.ts';

const always = () => true;
const fault = (kind: Fault['kind'], instead: Fault['instead']): Fault => ({
  kind,
  specific: undefined,
  instead,
});

/** The same fault, also ignoring the media type. */
export const anyType = (given: Fault): Fault => ({
  ...given,
  instead: (right, token) => ({ ...given.instead(right, token), ...acceptingType(always)(right) }),
});

// --- Credentials ----------------------------------------------------------------------------------------

export const unguarded = fault('credential', acceptingCredential(always));

const acceptsCredential = (which: (header: string | undefined, token: string) => boolean): Fault => ({
  kind: 'credential',
  specific: 'credential',
  instead: (right, token) => acceptingCredential((request) => which(authorization(request), token))(right),
});

const bearer = (header = '') => /^bearer +(\S+)$/i.exec(header)?.[1] ?? '';
const credentials = (header = '') => /^\S+ +(\S+)$/.exec(header)?.[1] ?? '';

export const acceptsMissingToken = acceptsCredential((header) => header === undefined);
export const acceptsBearerAlone = acceptsCredential((header) => /^(?:bearer)? *$/i.test(header ?? 'none'));
export const acceptsAnyToken = acceptsCredential((header) => bearer(header) !== '');
export const acceptsBasic = acceptsCredential(
  (header, token) =>
    /^basic /i.test(header ?? '') &&
    Buffer.from(credentials(header), 'base64').toString().split(':').includes(token),
);
export const acceptsOtherScheme = acceptsCredential((header, token) => credentials(header) === token);
export const acceptsBareToken = acceptsCredential((header, token) => header === token);
export const acceptsHalfToken = acceptsCredential(
  (header, token) => bearer(header).length >= token.length / 2 && token.startsWith(bearer(header)),
);
export const acceptsLongerToken = acceptsCredential((header, token) => bearer(header).startsWith(token));
export const acceptsTokenInOtherCase = acceptsCredential(
  (header, token) => bearer(header).toLowerCase() === token.toLowerCase(),
);
export const acceptsTokenOfSameLength = acceptsCredential(
  (header, token) => bearer(header).length === token.length,
);

// --- Invalid bodies -------------------------------------------------------------------------------------

const isObject = ({ value }: Seen) => value instanceof Map;

/** Makes a plant of anything. */
const madeUp: Change = (right) => ({
  validate(value, request) {
    try {
      return right.validate(value, request);
    } catch {
      const name = value instanceof Map ? value.get('name') : undefined;
      return { id: 1n, name: typeof name === 'string' ? name : 'unnamed' };
    }
  },
});

const notJsonIsFine = parsing(({ value }) => value === undefined, somePlant);

/** Validates nothing, not even that the body is JSON. */
export const unvalidated = fault('body', together(notJsonIsFine, madeUp));

/** Checks only that the required properties are present, not their types. */
export const untyped = fault('body', (right) => ({
  validate(value, request) {
    const whole = value instanceof Map && value.has('id') && value.has('name');
    return whole
      ? (madeUp(right).validate ?? right.validate)(value, request)
      : right.validate(value, request);
  },
}));

const accepts = (instead: Change): Fault => ({ kind: 'body', specific: 'outcome', instead });

export const acceptsNoName = accepts(acceptingKind('name', 'absent', isObject));
export const acceptsNoId = accepts(acceptingKind('id', 'absent', isObject));
export const acceptsNullName = accepts(acceptingKind('name', 'null'));
export const acceptsNullTag = accepts(acceptingKind('tag', 'null'));
export const acceptsNumberName = accepts(acceptingKind('name', ['integer', 'fraction']));
export const acceptsListName = accepts(acceptingKind('name', 'array'));
export const acceptsNumberTag = accepts(acceptingKind('tag', ['integer', 'fraction']));
export const acceptsListTag = accepts(acceptingKind('tag', 'array'));
export const acceptsBooleanTag = accepts(acceptingKind('tag', 'boolean'));
export const acceptsObjectTag = accepts(acceptingKind('tag', 'object'));
export const acceptsNumeralId = accepts(
  reading('id', (id) => (typeof id === 'string' && /^-?\d+$/.test(id) ? new Numeral(id) : id)),
);
export const acceptsFractionId = accepts(acceptingKind('id', 'fraction'));
export const acceptsBooleanId = accepts(acceptingKind('id', 'boolean'));
export const acceptsNullId = accepts(acceptingKind('id', 'null'));
export const acceptsOtherCase = accepts((right) => ({
  validate: (value, request) =>
    right.validate(
      value instanceof Map ? new Map([...value].map(([key, of]) => [key.toLowerCase(), of])) : value,
      request,
    ),
}));
export const acceptsNested = accepts((right) => ({
  validate(value, request) {
    const inner = value instanceof Map ? [...value.values()].find((one) => one instanceof Map) : undefined;
    return right.validate(inner ?? value, request);
  },
}));
export const acceptsListOfOne = accepts((right) => ({
  validate: (value, request) =>
    right.validate(Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value, request),
}));
export const acceptsPlantInString = accepts((right) => ({
  validate: (value, request) =>
    right.validate(typeof value === 'string' ? right.parse(Buffer.from(value), request) : value, request),
}));
export const acceptsNotJson = accepts(notJsonIsFine);
export const acceptsNoBody = accepts(parsing(({ text }) => text.trim() === '', somePlant));
export const acceptsForm = accepts(parsing(({ text }) => /^\w+=[^&]*(?:&\w+=[^&]*)*$/.test(text), somePlant));

/** The first value of a text; ignores the rest. */
function firstValue(text: string): Value | undefined {
  for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      return readJson(Buffer.from(text.slice(0, end + 1)));
    } catch {
      // Try the next bracket.
    }
  }
  return undefined;
}
export const acceptsMoreAfter = accepts(
  parsing(
    ({ value }) => value === undefined,
    (request, right) => firstValue(request.body.toString()) ?? right.parse(request.body, request),
  ),
);
/** Closes whatever is still open at the end. */
export const acceptsTruncated = accepts(
  parsing(
    ({ value }) => value === undefined,
    (request, right) => {
      for (const end of ['}', '"}', ' null}']) {
        try {
          return right.parse(Buffer.concat([request.body, Buffer.from(end)]), request);
        } catch {
          // Try the next end.
        }
      }
      return right.parse(request.body, request);
    },
  ),
);

// --- No response, or a server error ---------------------------------------------------------------------

export const crashes = fault('crash', failing(always));

/** 500 instead of another status. */
const crashesInsteadOf = (status: number): Fault =>
  fault('failure', (right) => ({
    reject: (rejection, request) =>
      rejection.status === status ? right.fail(rejection, request) : right.reject(rejection, request),
  }));
export const crashesOnInvalid = crashesInsteadOf(400);
export const crashesOnUnauthorised = crashesInsteadOf(401);
/** 502, as a proxy answers when the store closes the connection. */
export const badGateway = fault('crash', () => ({ create: () => html(502, 'Bad Gateway') }));

export const closes = fault('silence', cutting(always));
export const breaksOff = fault('silence', breakingOff(always));
export const hangs = fault('silence', hanging(always));

// --- Ordinary plants that are not accepted --------------------------------------------------------------

export const rejects = (status: number) => fault('rejects', rejecting(always, status));
/** Another status than 200 for an accepted plant. */
export const answersStatus = (status: number, headers: Answer['headers'] = {}) =>
  fault('rejects', answeringHead(status, headers));
export const answers204 = fault(
  'rejects',
  answering(() => ({ status: 204 })),
);
/** Rejects the right token. */
export const rejectsToken = fault('rejects', () => ({
  authenticate() {
    throw new Rejection(401, 401, 'the bearer token is not valid', { 'www-authenticate': 'Bearer' });
  },
}));

// --- A 400 that is not an Error -------------------------------------------------------------------------

const misshapes = (instead: Change) => fault('shape', instead);

export const html400 = fault('html', answering400(html(400, 'Bad Request')));
export const plain400 = fault('html', answering400(plain(400, 'Bad Request')));
export const problem400 = fault(
  'html',
  answering400({
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify({ type: 'about:blank', title: 'Bad Request', status: 400 }),
  }),
);
export const empty400 = fault('html', answering400({ status: 400 }));
export const detail400 = misshapes(answering400With(({ message }) => ({ detail: [{ msg: message }] })));
export const wordError400 = misshapes(answering400With(({ message }) => ({ error: 'bad_request', message })));
export const noMessage400 = misshapes(answering400With(({ code }) => ({ error: code, message: null })));
export const list400 = misshapes(answering400With(({ code, message }) => [{ error: code, message }]));

// --- A 200 that is not a Plant --------------------------------------------------------------------------

const misanswers = (instead: Change) => fault('misanswers', instead);

export const namesNull = misanswers(answeringValue(({ tag }) => ({ name: null, tag })));
/** Returns what it has not validated. */
export const namesUnvalidated = misanswers(
  together(
    madeUp,
    answeringValue(() => ({ name: 5 })),
  ),
);
export const answersEmptyObject = misanswers(answeringValue(() => ({})));
export const tagsNull = misanswers(answeringValue(({ name }) => ({ name, tag: null })));
export const wraps = misanswers(
  answeringValue((plant) => ({ data: { attributes: { name: plant.name, tag: plant.tag } } })),
);
export const lists = misanswers(answeringValue(({ name, tag }) => [{ name, tag }]));
export const untagsType = misanswers(answeringType(undefined));
export const answersHtml = misanswers(answering((_, { name }) => html(200, name.replace(/[&<>]/g, ' '))));
export const answersXml = misanswers(
  answering((_, { name }) => ({
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: `<plant><name>${name.replace(/[&<>]/g, ' ')}</name></plant>`,
  })),
);
export const callsBack = misanswers(answeringText((text) => `callback(${text});`));
export const singleQuotes = misanswers(answeringText((text) => text.replaceAll('"', "'")));
export const twice = misanswers(answeringText((text) => text + text));
export const compressesSilently = misanswers(answeringText((text) => gzipSync(text)));
export const compressesAs = (coding: string) =>
  misanswers(
    answering((answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-encoding': coding },
      body: deflateRawSync(textOf(answer)),
    })),
  );
export const truncatesCompressed = misanswers(
  answering((answer) => ({
    ...answer,
    headers: { ...answer.headers, 'content-encoding': 'gzip' },
    body: gzipSync(textOf(answer)).subarray(0, -12),
  })),
);
/** Truncates after as many bytes as the text has UTF-16 code units. */
export const countsCharacters = misanswers(
  answeringText((text) => Buffer.from(text).subarray(0, text.length)),
);
export const inLatin1 = misanswers(answeringText((text) => Buffer.from(text, 'latin1')));
export const inUtf16 = misanswers(
  answering((answer) => ({
    ...answer,
    headers: { 'content-type': 'application/json; charset=utf-16le' },
    body: Buffer.from(textOf(answer), 'utf16le'),
  })),
);
/** Encodes each half of a surrogate pair in three bytes (CESU-8). */
export const inCesu = misanswers(
  answeringText((text) =>
    Buffer.concat(
      Array.from({ length: text.length }, (_, at) => {
        const unit = text.charCodeAt(at);
        return unit < 0xd800 || unit > 0xdfff
          ? Buffer.from(text[at] ?? '')
          : Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]);
      }),
    ),
  ),
);
/** Puts the name between quotes without escaping it. */
export const escapesNothing = misanswers(answeringText((_, { name }) => `{"name":"${name}"}`));
/** Puts a log line before the body. */
export const logsIntoAnswer = misanswers(answeringText((text) => `Warning: undefined index\n${text}`));
