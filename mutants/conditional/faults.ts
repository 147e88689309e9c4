import { deflateRawSync, gzipSync } from 'node:zlib';
import { Numeral, readJson, type Value } from '../../reference/json.ts';
import { type Answer, Refusal } from '../../reference/store.ts';
import type { Change } from '../fleet.ts';
import {
  answering,
  answering400,
  authorization,
  breakingOff,
  complaining,
  cutting,
  failing,
  hanging,
  heading,
  html,
  letting,
  parsing,
  plain,
  reading,
  refusing,
  type Seen,
  saying,
  somePlant,
  taking,
  takingType,
  textOf,
  together,
  typing,
  writing,
} from '../helpers.ts';
import type { Fault } from './conditional.ts';

const always = () => true;
const fault = (kind: Fault['kind'], instead: Fault['instead']): Fault => ({
  kind,
  specific: undefined,
  instead,
});

/** The same fault, where the media type is not looked at either. */
export const anyType = (given: Fault): Fault => ({
  ...given,
  instead: (right, token) => ({ ...given.instead(right, token), ...takingType(always)(right) }),
});

// --- Credentials ---------------------------------------------------------------------------------------

/** Authentication is not asked for. */
export const unguarded = fault('credential', letting(always));

const lets = (which: (header: string | undefined, token: string) => boolean): Fault => ({
  kind: 'credential',
  specific: 'credential',
  instead: (right, token) => letting((request) => which(authorization(request), token))(right),
});

const bearer = (header = '') => /^bearer +(\S+)$/i.exec(header)?.[1] ?? '';
const credentials = (header = '') => /^\S+ +(\S+)$/.exec(header)?.[1] ?? '';

export const letsMissing = lets((header) => header === undefined);
export const letsBearerAlone = lets((header) => /^(?:bearer)? *$/i.test(header ?? 'none'));
export const letsAnyToken = lets((header) => bearer(header) !== '');
export const letsBasic = lets(
  (header, token) =>
    /^basic /i.test(header ?? '') &&
    Buffer.from(credentials(header), 'base64').toString().split(':').includes(token),
);
export const letsOtherScheme = lets((header, token) => credentials(header) === token);
export const letsBareToken = lets((header, token) => header === token);
export const letsFirstHalf = lets(
  (header, token) => bearer(header).length >= token.length / 2 && token.startsWith(bearer(header)),
);
export const letsLonger = lets((header, token) => bearer(header).startsWith(token));
export const letsOtherCase = lets((header, token) => bearer(header).toLowerCase() === token.toLowerCase());
export const letsSameLength = lets((header, token) => bearer(header).length === token.length);

// --- Bodies that are no NewPlant -----------------------------------------------------------------------

const isObject = ({ value }: Seen) => value instanceof Map;

/** Of whatever there is, a plant is made. */
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

/** Nothing is validated, not even that the body is JSON. */
export const unvalidated = fault('body', together(notJsonIsFine, madeUp));

/** What is there may be of any type; that it is there is looked at. */
export const untyped = fault('body', (right) => ({
  validate(value, request) {
    const whole = value instanceof Map && value.has('id') && value.has('name');
    return whole
      ? (madeUp(right).validate ?? right.validate)(value, request)
      : right.validate(value, request);
  },
}));

const admits = (instead: Change): Fault => ({ kind: 'body', specific: 'outcome', instead });

export const admitsNoName = admits(taking('name', 'absent', isObject));
export const admitsNoId = admits(taking('id', 'absent', isObject));
export const admitsNullName = admits(taking('name', 'null'));
export const admitsNullTag = admits(taking('tag', 'null'));
export const admitsNumberName = admits(taking('name', ['integer', 'fraction']));
export const admitsListName = admits(taking('name', 'array'));
export const admitsNumberTag = admits(taking('tag', ['integer', 'fraction']));
export const admitsListTag = admits(taking('tag', 'array'));
export const admitsBooleanTag = admits(taking('tag', 'boolean'));
export const admitsObjectTag = admits(taking('tag', 'object'));
export const admitsNumeralId = admits(
  reading('id', (id) => (typeof id === 'string' && /^-?\d+$/.test(id) ? new Numeral(id) : id)),
);
export const admitsFractionId = admits(taking('id', 'fraction'));
export const admitsBooleanId = admits(taking('id', 'boolean'));
export const admitsNullId = admits(taking('id', 'null'));
export const admitsOtherCase = admits((right) => ({
  validate: (value, request) =>
    right.validate(
      value instanceof Map ? new Map([...value].map(([key, of]) => [key.toLowerCase(), of])) : value,
      request,
    ),
}));
export const admitsNested = admits((right) => ({
  validate(value, request) {
    const inner = value instanceof Map ? [...value.values()].find((one) => one instanceof Map) : undefined;
    return right.validate(inner ?? value, request);
  },
}));
export const admitsListOfOne = admits((right) => ({
  validate: (value, request) =>
    right.validate(Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value, request),
}));
export const admitsPlantInString = admits((right) => ({
  validate: (value, request) =>
    right.validate(typeof value === 'string' ? right.parse(Buffer.from(value), request) : value, request),
}));
export const admitsNotJson = admits(notJsonIsFine);
export const admitsNoBody = admits(parsing(({ text }) => text.trim() === '', somePlant));
export const admitsForm = admits(parsing(({ text }) => /^\w+=[^&]*(?:&\w+=[^&]*)*$/.test(text), somePlant));

/** The first value of a text; what comes after it is not read. */
function firstValue(text: string): Value | undefined {
  for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      return readJson(Buffer.from(text.slice(0, end + 1)));
    } catch {
      // Goes on to the next bracket.
    }
  }
  return undefined;
}
export const admitsMoreAfter = admits(
  parsing(
    ({ value }) => value === undefined,
    (request, right) => firstValue(request.body.toString()) ?? right.parse(request.body, request),
  ),
);
/** Whatever is still open at the end is closed. */
export const admitsTruncated = admits(
  parsing(
    ({ value }) => value === undefined,
    (request, right) => {
      for (const end of ['}', '"}', ' null}']) {
        try {
          return right.parse(Buffer.concat([request.body, Buffer.from(end)]), request);
        } catch {
          // Tries the next end.
        }
      }
      return right.parse(request.body, request);
    },
  ),
);

// --- No answer, or a failure ---------------------------------------------------------------------------

export const crashes = fault('crash', failing(always));

const crashing =
  (status: (of: number) => boolean): Change =>
  (right) => ({
    refuse(refusal, request) {
      const answer = right.refuse(refusal, request);
      return status(refusal.status) ? right.fail(refusal, request) : answer;
    },
  });
/** 500 in the place of 400. */
export const crashesOnInvalid = fault(
  'failure',
  crashing((status) => status === 400),
);
/** 500 in the place of 401. */
export const crashesOnStrangers = fault(
  'failure',
  crashing((status) => status === 401),
);
/** 502, as a proxy says it of a store that hung up. */
export const badGateway = fault('crash', () => ({ create: () => html(502, 'Bad Gateway') }));

export const closes = fault('silence', cutting(always));
export const breaksOff = fault('silence', breakingOff(always));
export const hangs = fault('silence', hanging(always));

// --- Ordinary plants that are not accepted -------------------------------------------------------------

export const rejects = (status: number) => fault('rejects', refusing(always, status));
/** Another status than 200 to what is accepted. */
export const says = (status: number, headers: Answer['headers'] = {}) =>
  fault('rejects', heading(status, headers));
export const saysNothing = fault(
  'rejects',
  answering(() => ({ status: 204 })),
);
/** The store takes another token for the right one. */
export const rejectsToken = fault('rejects', () => ({
  authenticate() {
    throw new Refusal(401, 401, 'the bearer token is not known', { 'www-authenticate': 'Bearer' });
  },
}));

// --- A 400 that is no Error ----------------------------------------------------------------------------

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
export const detail400 = fault(
  'shape',
  complaining(({ message }) => ({ detail: [{ msg: message }] })),
);
export const wordError400 = fault(
  'shape',
  complaining(({ message }) => ({ error: 'bad_request', message })),
);
export const noMessage400 = fault(
  'shape',
  complaining(({ code }) => ({ error: code, message: null })),
);
export const list400 = fault(
  'shape',
  complaining(({ code, message }) => [{ error: code, message }]),
);

// --- A 200 that is no Plant ----------------------------------------------------------------------------

export const namesNull = fault(
  'misanswers',
  saying(({ tag }) => ({ name: null, tag })),
);
export const saysEmpty = fault(
  'misanswers',
  saying(() => ({})),
);
export const tagsNull = fault(
  'misanswers',
  saying(({ name }) => ({ name, tag: null })),
);
export const wraps = fault(
  'misanswers',
  saying((plant) => ({ data: { attributes: { name: plant.name, tag: plant.tag } } })),
);
export const lists = fault(
  'misanswers',
  saying(({ name, tag }) => [{ name, tag }]),
);
export const untagsType = fault('misanswers', typing(undefined));
export const typesAs = (type: string) => fault('misanswers', typing(type));
export const answersHtml = fault(
  'misanswers',
  answering((_, { name }) => html(200, name.replace(/[&<>]/g, ' '))),
);
export const answersXml = fault(
  'misanswers',
  answering((_, { name }) => ({
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: `<plant><name>${name.replace(/[&<>]/g, ' ')}</name></plant>`,
  })),
);
export const callsBack = fault(
  'misanswers',
  writing((text) => `callback(${text});`),
);
export const singleQuotes = fault(
  'misanswers',
  writing((text) => text.replaceAll('"', "'")),
);
export const twice = fault(
  'misanswers',
  writing((text) => text + text),
);
export const compressesSilently = fault(
  'misanswers',
  writing((text) => gzipSync(text)),
);
export const compressesAs = (coding: string) =>
  fault(
    'misanswers',
    answering((answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-encoding': coding },
      body: deflateRawSync(textOf(answer)),
    })),
  );
export const truncatesCompressed = fault(
  'misanswers',
  answering((answer) => ({
    ...answer,
    headers: { ...answer.headers, 'content-encoding': 'gzip' },
    body: gzipSync(textOf(answer)).subarray(0, -12),
  })),
);
/** As many bytes as the text has UTF-16 units. */
export const countsCharacters = fault(
  'misanswers',
  writing((text) => Buffer.from(text).subarray(0, text.length)),
);
export const inLatin1 = fault(
  'misanswers',
  writing((text) => Buffer.from(text, 'latin1')),
);
export const inUtf16 = fault(
  'misanswers',
  answering((answer) => ({
    ...answer,
    headers: { 'content-type': 'application/json; charset=utf-16le' },
    body: Buffer.from(textOf(answer), 'utf16le'),
  })),
);
/** Each half of a surrogate pair in three bytes (CESU-8). */
export const inCesu = fault(
  'misanswers',
  writing((text) =>
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
/** A name is put between quotes as it is. */
export const escapesNothing = fault(
  'misanswers',
  writing((_, { name }) => `{"name":"${name}"}`),
);
/** A log line comes before the answer. */
export const logsIntoAnswer = fault(
  'misanswers',
  writing((text) => `Warning: undefined index\n${text}`),
);
