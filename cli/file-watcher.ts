import { spawnSync } from 'node:child_process';
import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** Milliseconds after which a change is complete: editors write, rename and touch files in succession. */
const DEBOUNCE_MS = 50;

/** Hidden files and folders, dependencies, and backup files of editors. */
const IGNORED = /^\.|^node_modules$|~$/;

/**
 * Calls `changed` when a file below a folder changes, except in the folder `unwatched`. Ignores files that
 * git ignores, since a store may write its data or its log there. Returns a function that stops the watcher.
 */
export function onChanges(
  folder: string,
  unwatched: string | undefined,
  changed: (file: string, since: number) => void,
): () => void {
  const watchers = new Map<string, FSWatcher>();
  const files = new Set<string>();
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const settle = () => {
    const all = notIgnored([...files], folder);
    files.clear();
    // An editor may write a temporary file and then rename it.
    const file = all.find((one) => existsSync(join(folder, one))) ?? all[0];
    if (file !== undefined) changed(file, since);
  };
  const see = (file: string) => {
    if (files.size === 0) since = performance.now();
    files.add(relative(folder, file));
    clearTimeout(timer);
    timer = setTimeout(settle, DEBOUNCE_MS);
  };
  const isIgnored = (file: string, name: string) =>
    IGNORED.test(name) || (unwatched !== undefined && file === resolve(unwatched));
  // Not `recursive`, which would also watch every file of every dependency.
  const add = (folderToAdd: string) => {
    if (watchers.has(folderToAdd)) return;
    const forget = () => {
      watchers.get(folderToAdd)?.close();
      watchers.delete(folderToAdd);
    };
    const watcher = watch(folderToAdd, (kind, name) => {
      if (name === null || isIgnored(join(folderToAdd, name), name)) return;
      see(join(folderToAdd, name));
      if (kind === 'rename') refresh(folderToAdd);
    });
    watchers.set(folderToAdd, watcher.on('error', forget));
    refresh(folderToAdd);
  };
  const refresh = (changedFolder: string) => {
    for (const name of foldersIn(changedFolder))
      if (!isIgnored(join(changedFolder, name), name)) add(join(changedFolder, name));
  };
  add(folder);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** The files that git does not ignore. Outside of a repository, or without git, these are all files. */
function notIgnored(files: readonly string[], folder: string): readonly string[] {
  const { stdout } = spawnSync('git', ['check-ignore', '-z', '--stdin'], {
    cwd: folder,
    input: files.join('\0'),
    encoding: 'utf8',
  });
  const ignored = new Set((stdout ?? '').split('\0'));
  return files.filter((file) => !ignored.has(file));
}
