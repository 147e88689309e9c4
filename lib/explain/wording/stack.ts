import { groupBy } from '../../collections.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange } from '../../wire/exchange.ts';

/** Software that the advice may name, by language, and what in its responses identifies it. */
const LANGUAGES = {
  JavaScript: {
    software: ['JavaScript', 'Express', 'Fastify', 'NestJS', 'Joi', 'Zod'],
    trace: /^x-powered-by: (?:express|next)|\bin JSON at position|is not valid JSON|"statusCode":\d+,"/im,
  },
  Python: {
    software: ['Python', 'FastAPI', 'Pydantic', 'Django', 'Flask', 'marshmallow', 'http.server'],
    trace:
      /^server: (?:python\/|basehttp|simplehttp|uvicorn|gunicorn|hypercorn|daphne|waitress|wsgi|werkzeug)|Traceback|"detail":\[\{/im,
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

export type SoftwareSettings = Readonly<Partial<Record<Software, string>>>;

const MAX_TEXT_BYTES = 2048;

/** How the servers of Node and Fastify write the header. A proxy in front of the store may do so, too. */
const NODE_KEEP_ALIVE = /^keep-alive: timeout=(?:5|72)$/i;

/** Guesses the software of the store in order to sort the hints. Never affects a verdict. */
function softwareOf(exchanges: readonly Exchange[]): readonly string[] {
  const texts = exchanges.flatMap(({ response }) =>
    response === undefined
      ? []
      : [
          ...response.headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`),
          bodyText(response.body.subarray(0, MAX_TEXT_BYTES)),
        ],
  );
  const known = Object.values(LANGUAGES).find(({ trace }) => texts.some((text) => trace.test(text)));
  const isOfNode = texts.some((text) => NODE_KEEP_ALIVE.test(text));
  return known?.software ?? (isOfNode ? LANGUAGES.JavaScript.software : []);
}

/** Number of hints if the software of the store is unknown. */
const MAX_OTHER_HINTS = 3;

/** Words hints as sentences: for the software of the store or, if it is unknown, one for each language. */
export function hintsOf(settings: SoftwareSettings, exchanges: readonly Exchange[]): readonly string[] {
  const own = softwareOf(exchanges);
  const all = Object.entries(settings);
  const known = all.filter(([software]) => own.includes(software));
  const others = groupBy(all, ([software]) => languageOf(software) ?? '').map(([, [first]]) => first);
  return (own.length > 0 ? known : others.slice(0, MAX_OTHER_HINTS)).map(
    ([software, setting]) => `${software}: ${setting}.`,
  );
}

const languageOf = (name: string): string | undefined =>
  Object.entries(LANGUAGES).find(([, { software }]) => software.some((one) => one === name))?.[0];
