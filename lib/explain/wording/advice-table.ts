import type { Topic } from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import type { SymptomKind } from '../symptom/symptom.ts';
import type { SoftwareSettings } from './stack.ts';

/** What to do about a fault. Applies if every criterion that is given is met. */
export interface Advice {
  readonly symptoms?: readonly SymptomKind[];
  readonly statuses?: readonly number[];
  /** The property of the response that is wrong. */
  readonly properties?: readonly string[];
  /** Applies if the subject, or a condition, is about any of these. */
  readonly about?: readonly Topic[];
  /** Applies if any of these matches the words of the symptom, the subject and the conditions. */
  readonly says?: readonly RegExp[];
  readonly kind?: Explanation['kind'];
  /** Only if the fault is on an unusual code path. */
  readonly isCodePath?: true;
  readonly isErrorAsSuccess?: true;
  /** Only if the request of the example carries a NewPlant and the right token. */
  readonly isOfValidRequest?: true;
  /** Yields to the hint of the failed checks if they share one, since that hint is more specific. */
  readonly isGeneral?: true;
  readonly text: string;
  readonly settings?: SoftwareSettings;
}

const NO_USABLE_RESPONSE: readonly SymptomKind[] = [
  'server-error',
  'closed',
  'incomplete',
  'no-answer',
  'not-http',
];

/** Completes advice with the criteria that it shares. */
const each = (shared: Omit<Advice, 'text'>, list: readonly Advice[]): readonly Advice[] =>
  list.map((advice) => ({ ...shared, ...advice }));

const eachTopic = (
  symptoms: readonly SymptomKind[],
  byTopic: Partial<Readonly<Record<Topic, string | Pick<Advice, 'text' | 'settings'>>>>,
): readonly Advice[] =>
  Object.entries(byTopic).map(([topic, advice]) => ({
    symptoms,
    about: [topic as Topic],
    ...(typeof advice === 'string' ? { text: advice } : advice),
  }));

const BODY_LIMIT_SETTINGS: SoftwareSettings = {
  Express: 'use express.json({ limit: "100kb" })',
  Fastify: 'raise bodyLimit',
  Flask: 'raise MAX_CONTENT_LENGTH',
  Go: 'raise the limit of http.MaxBytesReader',
};

/** The order of properties matters. */
const ORDER = [/(?:first|last) property/, /comes before/, /properties are (?:not )?in /];

/** A part of the token matters. */
const PART_OF_TOKEN = [
  /first half/,
  /second half/,
  /\btokens? (?:that )?begins? with/,
  /tokens with the same ending/,
  /token ends like/,
];

/** Advice for typical faults, specific before general. The first that applies is given. */
export const ADVICE: readonly Advice[] = [
  {
    symptoms: ['stops-answering', 'crashes'],
    text: 'Restart the store, send the requests that reproduce the fault one at a time, and read its log: the process has exited or hangs. Add one error handler that turns every exception into a response, then fix the cause of this one.',
    settings: {
      Express:
        'version 5 passes errors thrown by async handlers to the error handler, version 4 does not; handle the error events of streams and sockets',
      Go: 'net/http recovers a panic in the handler, but not in another goroutine',
    },
  },
  {
    symptoms: [...NO_USABLE_RESPONSE, 'rejects'],
    about: ['known value'],
    says: [/same tag/],
    text: 'Accept any number of plants with the same tag: a tag need not be unique. Remove the unique constraint, or the cache whose key it is.',
  },
  {
    symptoms: NO_USABLE_RESPONSE,
    about: ['known value'],
    text: 'Decide how to treat a second plant with the same id or name: accept it, or answer 400 or 409 with an Error. Catch the violation of the unique constraint where the plant is stored, and roll back the transaction.',
  },
  {
    symptoms: NO_USABLE_RESPONSE,
    kind: 'under-concurrency',
    says: [/or more requests are in flight/],
    text: 'Make requests wait for a free connection, buffer or lock instead of failing: something, such as a pool, allows only so many at once.',
  },
  {
    kind: 'under-concurrency',
    text: 'Look for state that concurrent requests share: a variable outside the handler, a lock, a pool that is too small, a connection or buffer that two requests use at once. Make requests wait for a free connection, buffer or lock instead of failing.',
  },
  {
    symptoms: ['accepts', 'echo', 'null-property', 'wrong-body'],
    kind: 'from-then-on',
    text: 'An earlier request has changed which properties the store sees in later ones. Do not merge a body into an object that requests share, such as the prototype of all objects, a default or a pooled record. Look up own properties only.',
    settings: {
      Express:
        'Object.hasOwn(body, "name"); no recursive merge of request bodies; Object.create(null) for objects filled from them',
    },
  },
  {
    symptoms: ['rejects'],
    kind: 'from-then-on',
    text: 'Accept valid requests whatever came before. Look for a limiter or a ban that counts rejected requests, for a full table or list, and for a variable that keeps the outcome of an earlier request.',
  },
  {
    kind: 'from-then-on',
    text: 'Find the resource that runs out or is never released: a connection or file left open after an error, a lock that is still held, a full table or list. Release it on every path, including rejections (finally, defer, with, using).',
  },
  {
    kind: 'intermittent',
    text: 'Look for what differs between requests with the same content: the instance, worker or replica that answers, a timeout, a cache that expires, a random choice, a counter. Search the log for the requests that failed.',
  },
  {
    symptoms: ['accepts'],
    isErrorAsSuccess: true,
    text: 'Set the status to 400 (401 for a missing or wrong token) when you answer with an Error: clients go by the status. Set it before writing the body, in one function that handles all errors.',
  },
  {
    kind: 'sequence',
    says: [/after a pause/],
    text: 'Check a pooled connection before you use it, or repeat the work once on a new one: the database, or the server behind the gateway, has closed it meanwhile. An idle limit has to be shorter on the side that sends the requests.',
  },
  {
    symptoms: ['stale-body'],
    text: 'Parse only the bytes of the current body: take the part of the buffer that this request filled, or use a new buffer for each request.',
  },
  {
    symptoms: ['unread-body'],
    text: 'Read the whole body, trailers included, before you answer, even if the head is enough to reject the request, or send Connection: close and close the connection (RFC 9112 section 9.3). Otherwise, the unread bytes are parsed as the next request on the connection, whoever sends it.',
    settings: {
      'http.server':
        'self.rfile.read(int(self.headers["Content-Length"])) before send_error, or self.close_connection = True',
    },
  },
  ...each({ symptoms: ['accepts'] }, [
    {
      about: ['credential'],
      says: [/pipelined/],
      text: 'Judge each request by its own Authorization header, also when several arrive in one read.',
    },
  ]),
  ...each({ symptoms: ['accepts'], kind: 'sequence' }, [
    {
      about: ['credential'],
      says: [/otherwise the same/],
      text: 'Check the token before you look anything up in a cache of responses, or make the token part of the cache key.',
    },
    {
      says: [/otherwise the same/],
      text: 'Do not answer a POST from a cache of responses, or make the whole body part of the cache key. In nginx, $request_body is empty if the body exceeds client_body_buffer_size.',
    },
    {
      about: ['credential'],
      says: [/connection/],
      text: 'Check the Authorization header of every request: do not keep the result of an earlier one with the connection.',
      settings: {
        Spring: 'Jetty caches headers without regard to case unless setHeaderCacheCaseSensitive(true)',
      },
    },
    {
      text: 'Judge each request by its own content and credential. Look for a cache with an incomplete key, a connection that stays authenticated, or a variable that keeps the values of an earlier request.',
    },
  ]),
  ...each({ kind: 'sequence' }, [
    {
      says: [/in quick succession/],
      text: 'Do not lock out clients whose requests are rejected: a valid request is no attack. Look for a limiter that counts error responses per address, in the store or in the gateway before it (HAProxy: http_err_rate of a stick table; fail2ban).',
    },
    {
      symptoms: ['rejects'],
      statuses: [401, 403, 429],
      says: [/after \d+ (?:rejected requests|requests with)/],
      text: 'Do not lock out a client that sends the right token, however many of its requests failed before. Look for a limiter that counts failures per address, in the store or in the gateway before it.',
    },
    {
      says: [/for a while after a request/],
      text: 'Handle that request without an exception that ends the process or a worker: the store is away until it has been restarted. Look in its log for the crash.',
    },
    {
      says: [/differs only in (?:case|normalization)/],
      text: 'Treat names that differ in case or normal form as different, or answer 400 or 409 with an Error. Look for a unique index whose collation ignores the difference, and catch its violation.',
    },
    {
      symptoms: ['rejects'],
      statuses: [401, 403],
      text: 'Authenticate each request by its own Authorization header. Do not keep the result with the connection, the session or the address, and do not lock out a client that then sends the right token.',
    },
    {
      about: ['connections'],
      text: 'Serve several connections at the same time: clients and proxies keep connections open between requests. Use a server with threads, processes or an event loop.',
      settings: { Python: 'ThreadingHTTPServer instead of HTTPServer' },
    },
    {
      says: [/plants with the same /],
      text: 'Look for what the store keeps for each value of the property, such as a counter, a list or a limit on how many plants share it: the interface states none.',
    },
    {
      symptoms: NO_USABLE_RESPONSE,
      says: [/after \d+ (?:rejected requests|requests with)/],
      text: 'Look for what each rejected request uses up and does not give back, such as a buffer, a pooled connection or a file, or for a circuit breaker that counts rejected requests as failures. Release it on every path (finally, defer, with, using).',
    },
    {
      says: [/after \d+ (?:rejected requests|requests with)/],
      text: 'Do not count rejected requests as failures: look for a counter, a limit or a circuit breaker that trips after a number of them.',
    },
    {
      text: 'Look for what the earlier request leaves behind: unread bytes of its body on the connection, a variable that keeps its value, a pooled connection that is not returned, a failure counter that locks a client out.',
    },
  ]),
  // What the words of a condition point to.
  {
    symptoms: [...NO_USABLE_RESPONSE, 'rejects'],
    about: ['body size'],
    statuses: [413],
    text: 'Raise the limit on the size of bodies: accept plants in bodies of up to 1 KiB, and answer every body of up to 64 KiB, if only with 413 or 400. Read the rest of the body before you close the connection: otherwise, the client does not see the response.',
    settings: BODY_LIMIT_SETTINGS,
  },
  {
    symptoms: [...NO_USABLE_RESPONSE, 'rejects'],
    about: ['body size'],
    text: 'Read the whole body: look for a limit, a buffer or a single read of about that size. Accept plants in bodies of up to 1 KiB, and answer every body of up to 64 KiB, if only with 413 or 400. Read the rest of the body before you close the connection: otherwise, the client does not see the response.',
    settings: BODY_LIMIT_SETTINGS,
  },
  {
    symptoms: ['accepts'],
    about: ['spelling'],
    says: ORDER,
    text: 'Check every property, whatever their order: look for a return or break that ends the validation early.',
  },
  {
    about: ['spelling'],
    says: ORDER,
    text: 'Read the properties by their names, not by their positions: the order of the members of a JSON object has no meaning (RFC 8259 section 4).',
  },
  {
    about: ['escapes'],
    text: 'Decode the escapes of names and values, as a JSON parser does: "\\u0069d" is "id" (RFC 8259 section 7). Regular expressions and text searches on the raw body do not decode them.',
    settings: { serde: 'String or Cow<str> instead of &str' },
  },
  ...each({ symptoms: NO_USABLE_RESPONSE }, [
    {
      symptoms: [...NO_USABLE_RESPONSE, 'rejects'],
      says: [/charset/],
      text: 'Read JSON as UTF-8 whatever the charset parameter says (RFC 8259 section 8.1), or answer 415 if you do not support it. An unknown charset must not cause an uncaught exception.',
      settings: { Python: 'bytes.decode(charset) raises LookupError' },
    },
    {
      says: [/Content-Encoding/],
      text: 'Answer 415 to content codings that you do not decode, and 400 if decoding fails: catch its error where the body is read.',
      settings: {
        Python: 'catch gzip.BadGzipFile, zlib.error and EOFError',
        Go: 'gzip.NewReader returns gzip.ErrHeader',
      },
    },
    {
      symptoms: [...NO_USABLE_RESPONSE, 'rejects'],
      says: [/\bOrigin\b/],
      text: 'Do not fail on an Origin that you do not allow: leave out the CORS headers, and answer as usual.',
      settings: { Express: 'cors: callback(null, false), not callback(error)' },
    },
    {
      says: [/outside int64/, /below int64/, /above int64/],
      text: 'Compare the id with -2^63 and 2^63 - 1 before you store it, and answer 400 beyond them: a check that it fits in 64 bits lets unsigned numbers above 2^63 - 1 pass.',
    },
    {
      says: [/(?<!query )occurs twice/],
      text: 'Take the last value of a property that occurs twice, or answer 400: catch the error that your parser raises for duplicates.',
      settings: {
        Python: 'catch the exception of an object_pairs_hook',
        Jackson: 'STRICT_DUPLICATE_DETECTION raises a JsonParseException',
      },
    },
    {
      says: [/surrogate/],
      text: 'Reject a string with a lone surrogate with 400, or keep it escaped in the response: it cannot be encoded as UTF-8.',
      settings: {
        Python: '.encode() raises UnicodeEncodeError, json.dumps(..., ensure_ascii=True) escapes it',
        JavaScript: 'isWellFormed() and toWellFormed() of strings',
      },
    },
    {
      says: [/\bdigits\b/],
      text: 'Limit the length of numbers before you convert them, and answer 400 with an Error: catch the error of the conversion, not only that of the JSON parser.',
      settings: { Python: 'int() raises ValueError above 4,300 digits' },
    },
    {
      about: ['credential'],
      says: [/SQL/, /quotation mark/, /apostrophe/],
      text: 'Pass the token to the database as a parameter of the query: SQL that is assembled from strings lets anyone in. Better still, compare the token, or a hash of it, in the program.',
    },
    {
      about: ['credential'],
      says: [/not ASCII/, /\bbytes?\b/],
      text: 'Compare the token as bytes, and answer 401 to one that is not ASCII: catch the error of the conversion, or do without it.',
      settings: {
        Python: 'encode both before hmac.compare_digest, which raises TypeError for text that is not ASCII',
      },
    },
    {
      about: ['credential'],
      says: [/length/],
      text: 'Compare tokens of different lengths without an exception, and answer 401.',
      settings: {
        JavaScript:
          'crypto.timingSafeEqual throws unless both have the same length: compare their lengths first, or hashes of both',
      },
    },
    {
      about: ['credential'],
      says: [/\bBasic\b/],
      text: 'Answer 401 to every scheme but Bearer without decoding what follows it; or catch the errors of decoding: text that is not Base64, or not UTF-8, or has no colon.',
      settings: { Python: 'catch binascii.Error, UnicodeDecodeError, and ValueError when unpacking' },
    },
  ]),
  ...each({ symptoms: ['accepts'], about: ['credential'] }, [
    {
      says: [/token in a (?:form|property)/],
      text: 'Read the token from the Authorization header only, never from the body.',
    },
    {
      says: PART_OF_TOKEN,
      text: 'Compare the whole token, in constant time: no prefix, suffix or substring. Look also for a cache or table of accepted tokens with a part of the token as its key.',
    },
    {
      says: [/token in a different case/],
      text: 'Compare the token exactly: ignore case in the scheme (bearer), never in the token.',
    },
    {
      says: [/another order/],
      text: 'Compare the token with a library function, byte by byte: sums, sets and sorted characters lose the order.',
      settings: {
        JavaScript: 'crypto.timingSafeEqual',
        Python: 'hmac.compare_digest',
        Go: 'subtle.ConstantTimeCompare',
      },
    },
    {
      says: [/Forwarded/, /X-Real-Ip/, /forwarding/],
      text: 'Require the token whatever forwarding headers say: any client can send them. Look for an exception for local or internal addresses.',
    },
    {
      says: [/\bAccept\b(?!-)/],
      text: 'Check the token before you look at Accept, and answer 401 whatever it names. Look for a route or a response for browsers that skips authentication; a log-in page with the status 200 is no rejection either.',
    },
    {
      says: [/Content-Type/],
      text: 'Check the token before you look at Content-Type. Look for a route, parser or middleware that is chosen by the media type or its parameters and skips authentication.',
    },
    {
      says: [/query/],
      text: 'Match the path without the query where you decide whether a request needs a token.',
      settings: {
        JavaScript: 'new URL(request.url, base).pathname instead of request.url',
        Python: 'urlsplit(self.path).path instead of self.path',
        Go: 'r.URL.Path instead of r.RequestURI',
      },
    },
  ]),
  ...each({ symptoms: ['accepts'] }, [
    {
      says: [/chunk/],
      text: 'Validate every body, however it is framed: a request with Transfer-Encoding has a body, but no Content-Length. Look for a test of Content-Length that decides whether there is something to read or check.',
    },
    {
      about: [
        'wrong type',
        'missing',
        'null',
        'falsy',
        'other name',
        'any body',
        'not an object',
        'not JSON',
      ],
      says: [/the body is longer than/, /the body is shorter than/],
      text: 'Validate bodies of every size alike: look for a branch on the length of the body, or for another reader of large bodies, that skips the check.',
    },
    {
      says: [/form as the body/],
      text: 'Reject forms: answer 415 or 400 unless Content-Type is application/json. Remove the form parser from this route.',
      settings: {
        Express: 'no express.urlencoded()',
        FastAPI: 'no Form() parameters',
        Django: 'parser_classes = [JSONParser]',
        Spring: 'consumes = MediaType.APPLICATION_JSON_VALUE',
      },
    },
    {
      isCodePath: true,
      says: [/Content-Type/],
      text: 'Validate every body that you read, however its media type is spelled. Look for a comparison or lookup by the literal text of Content-Type: compare the type without regard to case and parameters.',
    },
    {
      says: [/a method in the query/],
      text: 'Ignore _method in the query, and every other way to override the method: a POST is a POST. Apply the same validation to every request.',
    },
    {
      says: [/when there is (?:a|no) \w+/, /there is (?:a|no) tag/],
      about: ['wrong type', 'missing', 'null', 'falsy', 'other name', 'any body'],
      text: 'Check every property, whether or not the others are there: look for a branch, a return or a break that skips the rest of the validation.',
    },
  ]),
  ...each({ symptoms: ['accepts'], about: ['wrong type'] }, [
    {
      says: [/negative fraction/],
      text: 'Test whether the id is an integer with the function of your language for it: the remainder of a negative fraction is negative, so it is never above 0.',
      settings: {
        JavaScript: 'Number.isInteger(id), as -1.5 % 1 > 0 is false',
        Python: 'isinstance(id, int) and not isinstance(id, bool)',
      },
    },
    {
      says: [/exponent/, /\d+e-\d/],
      text: 'Test the value of the number, not how it is spelled: 1e-1 is a fraction without a decimal point.',
      settings: {
        JavaScript: 'Number.isInteger(id)',
        Go: 'decode into an int64, or check the result of big.Rat.SetString',
      },
    },
    {
      says: [/is a fraction such as \d+\.0{3,}\d/],
      text: 'Test for an integer exactly: without rounding, and without a tolerance.',
      settings: { JavaScript: 'Number.isInteger(id)', serde: 'as_i64()', Python: 'isinstance(id, int)' },
    },
    {
      says: [/^accepts \w+ is a fraction(?: such as \S+)? /],
      text: 'Require an integer: 7.5 is a number, but not an integer.',
      settings: {
        JavaScript: 'Number.isInteger(id); JSON Schema: "type": "integer", not "number"',
        Python: 'isinstance(id, int) and not isinstance(id, bool)',
        serde: 'i64, or as_i64()',
      },
    },
    {
      says: [/^accepts id is a boolean /],
      text: 'Check that id is an integer: true and false are not integers.',
      settings: { Python: 'bool is a subclass of int: isinstance(id, int) and not isinstance(id, bool)' },
    },
    {
      says: [/any type/],
      text: 'Check the JSON type of each property that is present: id an integer, name and tag strings; null is neither. Nothing seems to check it: add a schema or a type check, and answer 400 with an Error.',
    },
  ]),
  ...each({ symptoms: ['wrong-body', 'null-property'], statuses: [400] }, [
    {
      says: [/a number beyond int32 as "error"/],
      text: 'Make "error" an integer between -2147483648 and 2147483647, such as the status 400: the document declares it as int32.',
    },
    {
      says: [/ as "error"/, /without the property "(?:error|message)"/],
      text: 'Make "error" an integer, such as the status 400, and "message" a string: {"error": 400, "message": "..."}.',
      settings: { Fastify: 'write a setErrorHandler: by default, "error" is a string such as "Bad Request"' },
    },
    {
      says: [/an array as "message"/, /an object as "message"/],
      text: 'Make "message" one string: join several messages, or send the first one.',
      settings: { NestJS: 'an exceptionFactory of ValidationPipe that joins them' },
    },
  ]),
  {
    symptoms: ['media-type'],
    statuses: [400],
    says: [/Accept/],
    text: 'Send every 400 as application/json with an Error, whatever Accept says: the document declares no other format for errors.',
    settings: { Express: 'no req.accepts() or res.format() in the error handler' },
  },
  {
    symptoms: ['unreadable', 'truncated-json', 'text'],
    statuses: [200],
    about: ['control character', 'quotes'],
    text: 'Let a JSON library write the whole response: text that is put together by hand breaks as soon as a value contains a quotation mark, a backslash or a control character.',
    settings: {
      Go: 'json.Marshal, as %q writes Go syntax, which is not JSON',
      Python: 'json.dumps, not an f-string',
    },
  },
  // The store accepts what it should, but its response is wrong.
  {
    symptoms: ['wrong-success'],
    statuses: [201],
    text: 'Answer 200, the only success that the document declares. Many frameworks answer 201 to a POST that creates something: set 200 explicitly.',
    settings: {
      NestJS: '@HttpCode(200) next to @Post',
      Spring: 'ResponseEntity.ok(...), and no @ResponseStatus(CREATED)',
      FastAPI: 'no status_code=201',
      Django: 'status=200 in the Response that the view returns',
    },
  },
  {
    symptoms: ['wrong-success'],
    text: 'Answer 200 with the Plant as the body: the document declares no other success.',
  },
  {
    symptoms: ['redirects'],
    statuses: [304],
    text: 'Answer POST without looking at If-None-Match and If-Modified-Since: 304 is an answer to GET and HEAD only (RFC 9110 section 13.2.2). Look for a middleware that computes ETags for all methods.',
    settings: {
      Express: 'res.send answers 304 only to GET and HEAD; a middleware of your own must check req.method',
    },
  },
  {
    symptoms: ['redirects'],
    text: 'Handle the request at the URL where it arrives. The redirect probably comes from a router that adds or removes a trailing slash, or forces https or another host; register the route as exactly /plants.',
    settings: { FastAPI: 'set redirect_slashes=False', Django: 'set APPEND_SLASH = False' },
  },
  {
    symptoms: ['same-for-all'],
    text: 'The store answers all requests alike. Look for something in front of the handler, such as a catch-all route, a maintenance page or a proxy without a store behind it, or for a handler that does nothing yet.',
  },
  {
    symptoms: ['none-for-all'],
    text: 'Make the store respond to every request. Look for an exception in its log, a handler that never ends the response, or another protocol on this port.',
  },
  {
    symptoms: ['media-type'],
    statuses: [200],
    text: 'Send exactly one Content-Type, application/json, with the 200. Serialize the plant with the framework function that sets this header, or set it before writing the body.',
    settings: {
      Express: 'res.json(plant)',
      Django: 'JsonResponse',
      Flask: 'jsonify',
      Go: 'w.Header().Set("Content-Type", "application/json") before w.WriteHeader',
      Gin: 'c.JSON',
      Spring: 'produces = MediaType.APPLICATION_JSON_VALUE',
    },
  },
  {
    symptoms: ['media-type'],
    about: ['not JSON', 'more JSON'],
    text: 'Send the Error as application/json even if the body cannot be parsed. The parser rejects such a body before the handler runs, so the framework answers with its default error page: register an error handler for this case.',
    settings: {
      Express: 'app.use((err, req, res, next) => ...) after express.json()',
      Fastify: 'setErrorHandler',
      NestJS: 'an exception filter for BadRequestException',
      FastAPI: 'an exception handler for RequestValidationError',
      Django: 'handle ParseError in EXCEPTION_HANDLER',
      Spring: 'HttpMessageNotReadableException in a @RestControllerAdvice',
      'ASP.NET': 'InvalidModelStateResponseFactory',
    },
  },
  {
    symptoms: ['media-type', 'no-body', 'text'],
    statuses: [400],
    text: 'Send every 400 with Content-Type application/json and an Error as its body, {"error": 400, "message": "..."}, from one error handler, instead of the default page of the framework or of a proxy in front of the store.',
  },
  {
    symptoms: ['wrapped', 'null-property', 'wrong-body'],
    statuses: [400],
    text: 'Make the body of every 400 an Error, {"error": <int32>, "message": "<text>"}, without a wrapper. Create it in one place for all rejections, and convert the default formats of frameworks (problem details, detail, statusCode, errors) there.',
    settings: {
      FastAPI: '@app.exception_handler(RequestValidationError), and one for HTTPException',
      Fastify: 'setErrorHandler',
      NestJS: 'a global exception filter',
      Django: 'EXCEPTION_HANDLER in REST_FRAMEWORK',
      Spring: '@RestControllerAdvice',
    },
  },
  {
    symptoms: ['undeclared-coding'],
    text: 'Send Content-Encoding with every compressed body, and compress only what Accept-Encoding allows. Leave compression to one component, a middleware or the proxy in front of the store: your own code may omit the header on some path.',
  },
  {
    symptoms: ['unreadable', 'truncated-json'],
    statuses: [400],
    text: 'Make the body of every 400 an Error, {"error": <int32>, "message": "<text>"}. Create it in one place for all rejections, and serialize it with a JSON library.',
  },
  {
    symptoms: ['truncated-json', 'incomplete', 'not-http'],
    about: ['beyond ASCII', 'not UTF-8'],
    text: 'Compute Content-Length from the bytes of the encoded body, not from the characters of the text: characters beyond ASCII take two to four bytes in UTF-8.',
  },
  {
    symptoms: ['null-property', 'wrong-body'],
    statuses: [200],
    properties: ['name', 'tag'],
    says: [/looks? like/, /a numeral/, /"null"/],
    text: 'Return the string that was sent: do not parse a stored string as JSON, YAML or a number.',
    settings: {
      JavaScript: 'no JSON.parse of single values',
      Python: 'no json.loads or yaml.safe_load of them',
    },
  },
  {
    symptoms: ['null-property'],
    properties: ['tag'],
    text: 'Leave tag out of the response if the plant has none; null is not a string.',
    settings: {
      Go: '`json:"tag,omitempty"` with a string or pointer',
      Jackson: '@JsonInclude(NON_NULL)',
      FastAPI: 'response_model_exclude_none=True',
      serde: '#[serde(skip_serializing_if = "Option::is_none")]',
      'ASP.NET': 'JsonIgnoreCondition.WhenWritingNull',
    },
  },
  {
    symptoms: ['wrong-body'],
    says: [/" instead of (?:name|tag|error|message)\b/],
    text: 'Write the names of the properties exactly as the document declares them, in lower case.',
    settings: {
      'ASP.NET': 'PropertyNamingPolicy = JsonNamingPolicy.CamelCase',
      Go: 'tags such as `json:"name"`',
    },
  },
  {
    symptoms: ['echo', 'null-property', 'wrong-body'],
    properties: ['name', 'tag'],
    text: 'Return the string that was sent, unchanged. Look for what changes it on the way: the wrong variable or field, a conversion to another type, trimming, a column that is too short, a change of case or Unicode normal form, HTML escaping, a template, a split.',
  },
  {
    symptoms: ['wrapped'],
    text: 'Answer with the Plant itself as the whole body, {"name": ..., "tag": ...}, not wrapped in an object or array.',
  },
  {
    symptoms: ['truncated-json', 'incomplete'],
    says: [/longer than/],
    text: 'Send the whole response, however long it is: look for a buffer of fixed size, for a Content-Length that is not that of the body as sent, and for a limit in front of the store.',
  },
  {
    symptoms: ['unreadable'],
    says: [/charset/i],
    text: 'Answer in UTF-8, whatever the charset of the request or Accept-Charset says: JSON that systems exchange is UTF-8 (RFC 8259 section 8.1).',
  },
  {
    symptoms: ['no-body', 'text', 'truncated-json', 'unreadable', 'null-property', 'wrong-body'],
    text: 'Answer with one JSON object in UTF-8 and nothing else, {"name": ..., "tag": ...}, serialized with a JSON library. Look for debug output, a second write to the response, JSON assembled by hand, or a wrong encoding or Content-Length.',
  },
  // The store crashes.
  ...each({ symptoms: [...NO_USABLE_RESPONSE, 'rejects'] }, [
    {
      says: [/\bquery\b/],
      text: 'Ignore the query: none is declared. If you decode it, catch the error of the decoder, and do not decode it twice.',
    },
    {
      says: [/multiple of \d+ bytes/, /the body has \d+ bytes/],
      text: 'Read the body to its end: look for a buffer or block whose last part is lost, or for a read that ends too early, if the length is just this.',
    },
    {
      says: [/application\/json ?;/],
      text: 'Accept application/json with any parameters, and with a semicolon that none follows (RFC 9110 section 5.6.6): parse Content-Type with a library, and compare the type alone.',
    },
    {
      says: [/the head/],
      text: 'Look for the end of the head, an empty line, in everything that has arrived so far, not in each segment by itself.',
    },
  ]),
  ...eachTopic(NO_USABLE_RESPONSE, {
    credential:
      'Answer 401 (or 400 with an Error) to a missing or malformed Authorization header: check that it is there and has two parts before you split or decode it.',
    quotes:
      'Pass name and tag to the database as parameters, and let a library write JSON. If an apostrophe, quotation mark or backslash breaks a request, SQL or JSON is being assembled from strings, which also allows injection.',
    size: 'Store long values, or answer 400 with an Error (413 if the whole body is too large) before they reach something that cannot hold them, such as a short column or a buffer of fixed size.',
    'first request':
      'Connect, migrate and load whatever requests need before the store listens; until then, answer 503 with Retry-After.',
    depth:
      'Limit the nesting depth of the body, and answer 400 with an Error beyond it: unlimited recursion overflows the stack, which ends the request or the process.',
    'media type':
      'Answer 415, or 400 with an Error, to a media type that you do not support, instead of failing or closing the connection. Ignore case and parameters when you compare it.',
    Accept:
      'Send JSON whatever Accept says, or answer 406; do not fail on a media type, range or quality value that you do not know.',
    Expect:
      'Send 100 Continue after reading the head and before waiting for the body, or answer 417 or the final status at once (RFC 9110 section 10.1.1). Most HTTP libraries do this themselves when you start to read the body.',
    'undeclared property':
      'Read only the properties that you know, as own properties of the body (Object.hasOwn, not body.hasOwnProperty), and ignore all others, whatever their names and however often they occur.',
    'large id':
      'Keep ids as 64-bit integers everywhere: in code (Java long, Go int64, C# long) and in the database (BIGINT). Answer 400 to ids that do not fit.',
  }),
  ...each({ symptoms: NO_USABLE_RESPONSE }, [
    {
      about: ['beyond ASCII', 'control character'],
      text: 'Use UTF-8 throughout (MySQL: utf8mb4), and answer 400 to what the database cannot store: text in PostgreSQL, for example, cannot contain NUL.',
    },
    {
      about: ['template'],
      text: 'Never use a value from the client as a format string or template; pass it as an argument.',
    },
    {
      about: ['not JSON', 'more JSON'],
      text: 'Catch the error of the JSON parser, and answer 400 with an Error. Check for an empty body before parsing.',
    },
    {
      about: [
        'wrong type',
        'missing',
        'null',
        'falsy',
        'not an object',
        'other name',
        'inherited',
        'any body',
      ],
      text: 'Before using the body, check that it is an object and that every property has the right type; if not, answer 400 with an Error. An uncaught exception, such as that of null.trim() or BigInt("x"), becomes a 500.',
    },
    {
      about: ['pieces'],
      text: 'Read the body to its end, whatever its framing: a chunked request has no Content-Length, and a body may arrive in several segments. Use the body reader of the framework instead of a single read from the socket.',
    },
    {
      isOfValidRequest: true,
      text: 'Find the exception in the log of the store, and handle that case: the request carries a NewPlant, so the response should be 200 with a Plant.',
    },
    {
      text: 'Find the exception in the log of the store, and handle that case. Let one error handler answer 400 with an Error to every invalid request.',
    },
  ]),
  // The store accepts what it must reject.
  {
    symptoms: ['accepts'],
    isCodePath: true,
    isGeneral: true,
    text: 'Look for a separate code path that only such requests take: another reader, parser, route, middleware or handler. Apply the same authentication, parsing and validation to every request.',
  },
  ...eachTopic(['accepts'], {
    'any credential':
      'Authenticate before anything else: compare the token in the header Authorization: Bearer with the expected one, and answer 401 if it is missing or wrong. Check that the middleware is registered, and that it runs before the route.',
    credential:
      'Accept only Authorization: Bearer, followed by exactly the right token. Split the header into two parts, compare the scheme without regard to case, and compare the whole token exactly and in constant time: no prefixes or substrings, no other case, no other header. Reject a missing header like a wrong token.',
    'any body': {
      text: 'Validate the body before creating the plant: id must be an integer, name a string, and tag, if present, a string. Otherwise, answer 400 with an Error. Most frameworks can do this from a schema or model: check that validation is enabled.',
      settings: {
        Express: 'a validator middleware before the handler',
        NestJS: 'app.useGlobalPipes(new ValidationPipe())',
        Spring: '@Valid before @RequestBody',
        Django: 'serializer.is_valid(raise_exception=True)',
      },
    },
    'more JSON': {
      text: 'Reject anything but white space after the JSON value: a streaming parser stops at the end of the first value.',
      settings: {
        Go: 'after decoding with json.Decoder, call Decode again and expect io.EOF (More() misses } and ]), or use json.Unmarshal',
        Jackson: 'enable FAIL_ON_TRAILING_TOKENS',
      },
    },
    'other name': {
      text: 'Compare property names exactly: do not ignore case, and do not trim them.',
      settings: {
        Go: 'encoding/json matches names in any case: decode into a map[string]json.RawMessage and look the names up, or use a decoder that compares exactly',
        Jackson: 'disable ACCEPT_CASE_INSENSITIVE_PROPERTIES',
        'ASP.NET': 'PropertyNameCaseInsensitive = false (the web defaults set it)',
      },
    },
    inherited:
      'Look properties up as own properties (Object.hasOwn), and do not copy parsed JSON with a deep merge or assignment: JSON may contain a property called __proto__.',
    'not JSON':
      'Parse the whole body with a strict JSON parser, answer 400 with an Error if it fails, and do not continue with defaults or with what was parsed so far.',
    'not an object':
      'First check that the body is a JSON object, and answer 400 to anything else: arrays (no batches, no unwrapping), strings, numbers, null.',
  }),
  {
    symptoms: ['accepts', 'should-reject'],
    about: ['not UTF-8'],
    text: 'Decode the body strictly as UTF-8, and answer 400 if that fails: many decoders silently replace invalid bytes with U+FFFD.',
    settings: { Go: 'utf8.Valid before json.Unmarshal' },
  },
  ...eachTopic(['accepts'], {
    falsy:
      'Test whether the property is present, not whether its value is truthy: a condition such as `if (tag && ...)` skips null, false, 0 and the empty string. Then check the JSON type.',
    missing: {
      text: 'Require id and name as properties of the body itself, and answer 400 if one is missing or null: do not fill in defaults, generate values, or search nested objects or the query.',
      settings: {
        Go: 'use pointers: a zero value does not show that a property was absent',
        Jackson: 'enable FAIL_ON_MISSING_CREATOR_PROPERTIES',
      },
    },
    null: {
      text: 'Reject null: an optional property may be absent, but null is not a string or integer. Types that have one value for "absent" and "null" (a pointer, Option<String>, str | None, a nullable reference) hide the difference: test for the key itself.',
      settings: {
        Go: 'map[string]json.RawMessage',
        serde: 'write a deserializer for the field',
        Pydantic: 'write a validator in mode "before"',
        Jackson: '@JsonSetter(nulls = Nulls.FAIL)',
      },
    },
    'wrong type': {
      text: 'Check the JSON type before using the value, and do not convert it: "7", true, 7.5 and [7] are not integers, and 7 is not a string. Many libraries convert by default.',
      settings: {
        Fastify: 'set ajv: { customOptions: { coerceTypes: false } }',
        Joi: 'set convert: false',
        Zod: 'no z.coerce',
        Pydantic: 'strict=True',
        marshmallow: 'strict=True for integers',
        Jackson: 'disable MapperFeature.ALLOW_COERCION_OF_SCALARS',
      },
    },
  }),
  // The store rejects what it must accept.
  ...each({ symptoms: ['rejects'] }, [
    {
      about: ['scheme'],
      text: 'Compare the scheme, and only the scheme, without regard to case (bearer is Bearer), and allow several spaces after it. Compare the token exactly.',
    },
    {
      statuses: [401, 403],
      text: 'The right token is rejected here. Check how the header is read in this case, whether the token expires or has a rate limit, and whether failures lock a client out.',
    },
    {
      statuses: [406, 411, 413, 415],
      text: 'Accept what HTTP allows here. Compare media types without regard to case and parameters (application/json; charset=utf-8), read chunked bodies, honour any Accept that allows JSON, and accept bodies of at least 1 KiB.',
    },
    {
      about: ['pieces'],
      text: 'Read the body to its end, whatever its framing: a chunked request has no Content-Length, and a body may arrive in several segments. If a framework reads it, find out what its server supports.',
      settings: {
        Flask:
          'the development server does not read every chunked body; use a production server, such as waitress',
      },
    },
    {
      about: ['spelling', 'escapes'],
      text: 'Read the body to its end, whatever its framing (a chunked request has no Content-Length, and a body may arrive in several segments), and parse it with a JSON library: the order of properties, white space and \\u escapes make no difference.',
    },
    {
      about: ['value'],
      text: 'Accept every value that the schema allows: the document sets no other limits on length, characters or range. Look for a pattern, a limit, a filter against injection (use parameters instead), or a column or integer type that is narrower than the schema.',
    },
  ]),
  {
    symptoms: ['wrong-rejection'],
    about: ['credential'],
    text: 'Answer 401 with WWW-Authenticate: Bearer if the token is missing or wrong; 403 is for a valid token without the permission (RFC 6750 section 3.1).',
  },
  {
    symptoms: ['wrong-rejection'],
    text: 'Answer an invalid body with 400 and an Error, the only error that the document declares.',
  },
];
