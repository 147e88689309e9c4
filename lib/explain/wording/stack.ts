import type { Exchange } from '../../wire/exchange.ts';

/**
 * Software that the advice may name, by language, and what responses of such software typically contain:
 * headers that name it, or texts of errors.
 */
const LANGUAGES = {
  JavaScript: {
    software: ['Express', 'Fastify', 'NestJS', 'Joi', 'Zod'],
    trace: /^x-powered-by: (?:express|next)|\bin JSON at position|is not valid JSON|"statusCode":\d+,"/im,
  },
  Python: {
    software: ['FastAPI', 'Pydantic', 'Django', 'Flask', 'marshmallow', 'http.server'],
    trace:
      /^server: (?:basehttp|simplehttp|uvicorn|gunicorn|hypercorn|daphne|waitress|wsgi|werkzeug)|Traceback|"detail":\[\{/im,
  },
  Go: {
    software: ['Go', 'Gin'],
    trace: /json: cannot unmarshal|invalid character '.*' (?:looking|after)|^404 page not found/im,
  },
  Java: {
    software: ['Spring', 'Jackson'],
    trace: /^server: (?:jetty|apache-coyote|undertow|netty)|"timestamp":.*"path":|com\.fasterxml|java\.\w+/im,
  },
  'C#': {
    software: ['ASP.NET'],
    trace: /^server: (?:kestrel|microsoft)|^x-powered-by: asp\.net|"traceId":|System\.Text\.Json/im,
  },
  Rust: {
    software: ['serde'],
    trace: /^server: (?:actix|hyper|rocket)|expected .* at line \d+ column \d+|missing field `/im,
  },
} as const;

type Software = (typeof LANGUAGES)[keyof typeof LANGUAGES]['software'][number];

/** How to avoid a fault with particular software. */
export type SoftwareSettings = Readonly<Partial<Record<Software, string>>>;

const MAX_TEXT_BYTES = 2048;

/** Guesses the software of the store in order to sort the hints. Never affects a verdict. */
function softwareOf(exchanges: readonly Exchange[]): readonly string[] {
  const texts = exchanges.flatMap(({ response }) =>
    response === undefined
      ? []
      : [
          ...response.headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`),
          Buffer.from(response.body.subarray(0, MAX_TEXT_BYTES)).toString('utf8'),
        ],
  );
  return Object.values(LANGUAGES).find(({ trace }) => texts.some((text) => trace.test(text)))?.software ?? [];
}

/** Settings as sentences, those for the store's own software first. */
export function hintsOf(settings: SoftwareSettings, exchanges: readonly Exchange[]): string {
  const ownSoftware = softwareOf(exchanges);
  const isOfThisStack = ([software]: readonly [string, string]) => ownSoftware.includes(software);
  const entries = Object.entries(settings);
  return [...entries.filter(isOfThisStack), ...entries.filter((one) => !isOfThisStack(one))]
    .map(([software, setting]) => ` ${software}: ${setting}.`)
    .join('');
}
