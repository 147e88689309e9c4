import { COMPACT, type Json, type JsonObject, type Style } from '../json.ts';
import {
  type Body,
  type Credential,
  type RequestTemplate,
  validCredential,
  withScheme,
} from '../test-case.ts';

/**
 * A request as the model composes it, with its parts kept apart, so that each can be replaced. Each dimension
 * changes one of them, in the order of the model. `templateOf` puts them together.
 */
export interface ModelRequest {
  /** A valid NewPlant, before any defect. */
  readonly plant: JsonObject;
  readonly style: Style;
  readonly edits: readonly ((text: string) => string)[];
  readonly template: RequestTemplate;
  readonly defect?: BodyDefect;
  readonly credential?: Credential;
  /** Replaces `Bearer `. */
  readonly scheme?: string;
}

export type BodyDefect =
  | { readonly json: Json }
  | { readonly corrupt: (text: string) => string | Uint8Array }
  | { readonly noBody: true };

export function templateOf({
  plant,
  style,
  edits,
  template,
  defect,
  credential,
  scheme,
}: ModelRequest): RequestTemplate {
  const sent = scheme === undefined ? credential : withScheme(scheme, credential ?? validCredential);
  const around: RequestTemplate = {
    // A delivery, even an empty one, makes the suite use a raw socket, which controls segments and the order
    // of headers.
    delivery: {},
    ...template,
    ...(sent === undefined ? {} : { credential: sent }),
  };
  if (defect !== undefined && 'noBody' in defect) return { contentType: 'application/json', ...around };
  const corrupt = defect !== undefined && 'corrupt' in defect ? [defect.corrupt] : [];
  const all: ((text: string) => string | Uint8Array)[] = [...edits, ...corrupt];
  const edit = (text: string) =>
    all.reduce<string | Uint8Array>((done, one) => (typeof done === 'string' ? one(done) : done), text);
  const body: Body = {
    json: defect !== undefined && 'json' in defect ? defect.json : plant,
    style,
    ...(all.length === 0 ? {} : { edit }),
  };
  return { ...around, body };
}

export const madeValid = ({ defect: _, credential: __, ...request }: ModelRequest): ModelRequest => request;

export const initialRequest = (plant: JsonObject): ModelRequest => ({
  plant,
  style: COMPACT,
  edits: [],
  template: {},
});
