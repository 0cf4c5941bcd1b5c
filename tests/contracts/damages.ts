// Ways to damage a backup, each of which can be undone.
import { createHash } from 'node:crypto';
import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

type Damage = { name: string; make(): void; undo(): void };

type Kind = (path: string, turn: number) => Damage;

const MANIFEST = 'manifest.json';

const fileOf = (path: string, turn: number): string => {
  const names = readdirSync(path).toSorted();
  return join(path, names[turn % names.length] ?? '');
};

/** Changes a file's content. */
function rewritten(name: string, file: string, change: (bytes: Buffer) => Buffer): Damage {
  const whole = readFileSync(file);
  return {
    name: `${name} of ${file}`,
    make: () => writeFileSync(file, change(Buffer.from(whole))),
    undo: () => writeFileSync(file, whole),
  };
}

const flipped: Kind = (path, turn) =>
  rewritten('a flipped bit', fileOf(path, turn), (bytes) => {
    const at = (turn * 7919) % bytes.length;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (turn % 8));
    return bytes;
  });

const cut: Kind = (path, turn) => {
  const file = fileOf(path, turn);
  const whole = readFileSync(file);
  return {
    name: `a truncated ${file}`,
    make: () => truncateSync(file, (turn * 104_729) % whole.length),
    undo: () => writeFileSync(file, whole),
  };
};

const longer: Kind = (path, turn) =>
  rewritten('more bytes', fileOf(path, turn), (bytes) => Buffer.concat([bytes, Buffer.of(turn)]));

const missing: Kind = (path, turn) => {
  const file = fileOf(path, turn);
  const whole = readFileSync(file);
  return { name: `no ${file}`, make: () => rmSync(file), undo: () => writeFileSync(file, whole) };
};

const swapped: Kind = (path, turn) => {
  const one = fileOf(path, turn);
  // The two files must differ for the swap to be damage, and the files of empty tables may be
  // identical.
  const others = readdirSync(path).map((_, step) => fileOf(path, turn + step));
  const isOther = (file: string) => !readFileSync(file).equals(readFileSync(one));
  const other = others.find(isOther) ?? '';
  const swap = () => {
    renameSync(one, join(path, '../swapped'));
    renameSync(other, one);
    renameSync(join(path, '../swapped'), other);
  };
  return { name: `${one} and ${other} swapped`, make: swap, undo: swap };
};

/** Changes a number in the manifest. */
const edited: Kind = (path, turn) =>
  rewritten('an edited number', join(path, MANIFEST), (bytes) => {
    const text = bytes.toString();
    const digits = [...text.matchAll(/\d/g)];
    const at = digits[(turn * 31) % digits.length]?.index ?? 0;
    return Buffer.from(`${text.slice(0, at)}${9 - Number(text[at])}${text.slice(at + 1)}`);
  });

/** Changes the manifest and its hash as an attacker would; the MAC is kept or removed. */
const forged: Kind = (path, turn) =>
  rewritten('a forged manifest', join(path, MANIFEST), (bytes) => {
    const [text = '', seal = ''] = bytes.toString().split('\n');
    const fields = { ...JSON.parse(text), takenAt: `2020-01-01T00:00:00.${100 + turn}Z` };
    const mac = turn % 2 === 0 ? null : JSON.parse(seal).mac;
    const forgery = JSON.stringify(mac === null ? { ...fields, encryption: null } : fields);
    const sha256 = createHash('sha256').update(forgery).digest('hex');
    return Buffer.from(`${forgery}\n${JSON.stringify({ sha256, mac })}\n`);
  });

const accidents: Kind[] = [flipped, cut, swapped, edited, flipped, longer, missing];
const attacks: Kind[] = [...accidents, forged];

type Wanted = { path: string; count: number; isEncrypted: boolean };

/**
 * Every kind of damage in turn, spread over all files. Only encrypted backups are also forged,
 * because a forgery of an unencrypted backup can't be detected.
 */
export function* damages({ path, count, isEncrypted }: Wanted): Generator<Damage> {
  const kinds = isEncrypted ? attacks : accidents;
  for (let turn = 0; turn < count; turn += 1) {
    const kind = kinds[turn % kinds.length] ?? flipped;
    yield kind(path, turn);
  }
}
