// Translations are complete, and the element uses the right language.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { de } from './de.ts';
import { en } from './en.ts';
import { wordsFor } from './texts.ts';

type Entry = string | ((...args: never[]) => string);

const entriesOf = (table: object): [string, Entry][] => Object.entries(table);

test('German has the same strings as English, with the same types, and none of them is empty', () => {
  deepEqual(Object.keys(de).sort(), Object.keys(en).sort());
  const german = new Map(entriesOf(de));
  for (const [name, text] of entriesOf(en)) {
    const other = german.get(name);
    equal(typeof other, typeof text, name);
    if (typeof text === 'function' && typeof other === 'function') {
      equal(other.length, text.length, `${name} takes the same values`);
    }
    ok(text !== '' && other !== '', name);
  }
});

test('only two strings are the same in English and German', () => {
  const same = entriesOf(en).filter(([name, text]) => Reflect.get(de, name) === text);
  deepEqual(
    same.map(([name]) => name),
    ['list.name', 'create.name'],
  );
});

test('a count of one uses the singular', () => {
  equal(en['list.count'](1), '1 key');
  equal(en['list.count'](2), '2 keys');
  equal(de['rotate.hours'](1), 'In 1 Stunde');
  equal(de['rotate.days'](3), 'In 3 Tagen');
});

test('strings are in the requested language, or in English if there is no translation, and each can be replaced', () => {
  equal(wordsFor('de-AT')['list.title'], 'API-Schlüssel');
  equal(wordsFor('de-AT').lang, 'de-AT');
  deepEqual([wordsFor('fr').lang, wordsFor('fr')['list.title']], ['en', 'API keys']);
  equal(wordsFor('no such language!').lang, 'en');
  const own = wordsFor('ar', { 'list.title': 'مفاتيح', 'list.more': undefined });
  deepEqual([own.lang, own.dir, own['list.title']], ['ar', 'rtl', 'مفاتيح']);
  equal(own['list.more'], 'Show more', 'an undefined entry replaces nothing');
  equal(wordsFor('ar').dir, 'ltr', 'English texts run from left to right');
  equal(wordsFor('en', { dir: 'rtl' }).dir, 'rtl');
});
