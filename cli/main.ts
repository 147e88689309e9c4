#!/usr/bin/env node
import module from 'node:module';
import { setFlagsFromString } from 'node:v8';

/* Optimizations of the start-up, which must run before other modules are loaded. */

// Node 22 and later keep the compiled code of modules for the next run.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();
/*
 * undici's parser is WebAssembly. V8 starts to optimize it after a few responses, and the process cannot end
 * before that is done, which takes most of the time of a single check. A higher budget postpones it.
 */
setFlagsFromString('--wasm-tiering-budget=180000000');

await import('./program.ts');
