import { accept } from './accept.ts';
import type { ConditionalStore } from './conditional.ts';
import { credential } from './credential.ts';
import { framing } from './framing.ts';
import { headers } from './headers.ts';
import { history } from './history.ts';
import { load } from './load.ts';
import { mediaType } from './media-type.ts';
import { outcome } from './outcome.ts';
import { size } from './size.ts';
import { target } from './target.ts';
import { text } from './text.ts';
import { values } from './values.ts';

/**
 * Stores that break a MUST only where one to three factors meet, in the order of the dimensions of the model.
 */
export const conditionalStores: readonly ConditionalStore[] = [
  ...outcome,
  ...credential,
  ...framing,
  ...mediaType,
  ...accept,
  ...headers,
  ...target,
  ...size,
  ...text,
  ...values,
  ...history,
  ...load,
];
