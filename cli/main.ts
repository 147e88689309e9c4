#!/usr/bin/env node
import module from 'node:module';
import { setFlagsFromString } from 'node:v8';

/*
 * Optimizations of the start, which must run before other modules are loaded.
 *
 * Node 22 and later keep the compiled code of modules for the next run.
 */
(module as { enableCompileCache?: () => void }).enableCompileCache?.();
/*
 * The parser of undici is WebAssembly. V8 starts to optimize it after a few responses, and no process can end before
 * that is done, which is most of the time after the last response of a single check. With this, it starts later.
 */
setFlagsFromString('--wasm-tiering-budget=180000000');

await import('./program.ts');
