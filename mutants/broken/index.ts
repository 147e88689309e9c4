import type { BrokenStore } from '../fleet.ts';
import { auth } from './auth.ts';
import { authSubtle } from './auth-subtle.ts';
import { coercion } from './coercion.ts';
import { constants } from './constant.ts';
import { crashes } from './crashes.ts';
import { createAnswer } from './create-answer.ts';
import { errors } from './errors.ts';
import { handWritten } from './hand-written.ts';
import { httpMessage } from './http-message.ts';
import { jsonText } from './json-text.ts';
import { knownIds } from './known-ids.ts';
import { leftOnConnection } from './left-on-connection.ts';
import { limits } from './limits.ts';
import { missingProperties } from './missing-properties.ts';
import { plantBody } from './plant-body.ts';
import { recurrence } from './recurrence.ts';
import { should } from './should.ts';
import { stateAndLoad } from './state-and-load.ts';

/** The stores that the suite must catch. */
export const brokenStores: readonly BrokenStore[] = [
  ...createAnswer,
  ...plantBody,
  ...missingProperties,
  ...coercion,
  ...knownIds,
  ...jsonText,
  ...httpMessage,
  ...errors,
  ...crashes,
  ...auth,
  ...authSubtle,
  ...stateAndLoad,
  ...leftOnConnection,
  ...handWritten,
  ...recurrence,
  ...constants,
  ...should,
  ...limits,
];
