import type { Exchange } from '../../wire/exchange.ts';

/** Software that advice names, by its language. */
const LANGUAGES = {
  Express: 'JavaScript',
  Fastify: 'JavaScript',
  NestJS: 'JavaScript',
  Joi: 'JavaScript',
  Zod: 'JavaScript',
  FastAPI: 'Python',
  Pydantic: 'Python',
  Django: 'Python',
  Flask: 'Python',
  marshmallow: 'Python',
  'http.server': 'Python',
  Go: 'Go',
  Gin: 'Go',
  Spring: 'Java',
  Jackson: 'Java',
  'ASP.NET': 'C#',
  serde: 'Rust',
} as const;

export type Software = keyof typeof LANGUAGES;
type Language = (typeof LANGUAGES)[Software];

/** How a fault is avoided with some software. */
export type Settings = Readonly<Partial<Record<Software, string>>>;

/** What responses in a language tend to contain, in headers that name software or in texts of errors. */
const TRACES: readonly (readonly [language: Language, trace: RegExp])[] = [
  [
    'JavaScript',
    /^x-powered-by: (?:express|next)|\bin JSON at position|is not valid JSON|"statusCode":\d+,"/im,
  ],
  [
    'Python',
    /^server: (?:basehttp|simplehttp|uvicorn|gunicorn|hypercorn|daphne|waitress|wsgi|werkzeug)|Traceback|"detail":\[\{/im,
  ],
  ['Go', /json: cannot unmarshal|invalid character '.*' (?:looking|after)|^404 page not found/im],
  [
    'Java',
    /^server: (?:jetty|apache-coyote|undertow|netty)|"timestamp":.*"path":|com\.fasterxml|java\.\w+/im,
  ],
  ['C#', /^server: (?:kestrel|microsoft)|^x-powered-by: asp\.net|"traceId":|System\.Text\.Json/im],
  ['Rust', /^server: (?:actix|hyper|rocket)|expected .* at line \d+ column \d+|missing field `/im],
];

const MAX_TEXT_BYTES = 2048;

/** The language that a store is likely to be written in, for the order of hints. It is never judged by it. */
function languageOf(exchanges: readonly Exchange[]): Language | undefined {
  const texts = exchanges.flatMap(({ response }) =>
    response === undefined
      ? []
      : [
          ...response.headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`),
          Buffer.from(response.body.subarray(0, MAX_TEXT_BYTES)).toString('utf8'),
        ],
  );
  return TRACES.find(([, trace]) => texts.some((text) => trace.test(text)))?.[0];
}

/** Settings as sentences, those for the software of the store first. */
export function hintsOf(settings: Settings, exchanges: readonly Exchange[]): string {
  const language = languageOf(exchanges);
  const isOwn = ([software]: readonly [string, string]) => LANGUAGES[software as Software] === language;
  const all = Object.entries(settings);
  return [...all.filter(isOwn), ...all.filter((one) => !isOwn(one))]
    .map(([software, setting]) => ` ${software}: ${setting}.`)
    .join('');
}
