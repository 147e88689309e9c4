import { bodies } from './bodies.ts';
import { connections } from './connections.ts';
import { framing } from './framing.ts';
import { heads } from './heads.ts';
import { replies } from './replies.ts';
import type { Hostile } from './store.ts';
import { tls } from './tls.ts';

export const hostiles: readonly Hostile[] = [
  ...heads,
  ...framing,
  ...bodies,
  ...replies,
  ...connections,
  ...tls,
];
