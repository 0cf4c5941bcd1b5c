// Templates never turn inserted values into markup.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { html, jsonHtml } from './html.ts';
import { prose } from './markdown.ts';

const hostile = `<script>alert("1")</script> & 'more'`;

test('values in a template are escaped, in text and in attributes', () => {
  const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;';
  equal(html`<p title="${hostile}">${hostile}</p>`.html, `<p title="${escaped}">${escaped}</p>`);
  equal(html`${[hostile, html`<b>${hostile}</b>`]}`.html, `${escaped}<b>${escaped}</b>`);
});

test('a template can contain other templates, which are not escaped again, and null, which is omitted', () => {
  equal(html`<p>${html`<b>x</b>`}${null}${1}</p>`.html, '<p><b>x</b>1</p>');
});

test('text in backticks becomes code, and is escaped like all other text', () => {
  equal(
    prose('Send `max_keys` & `<b>`.').html,
    'Send <code>max_keys</code> &amp; <code>&lt;b&gt;</code>.',
  );
});

test('JSON shown on the page parses to the original value', () => {
  const value = {
    text: hostile,
    list: ['a', 'b'],
    none: [],
    deep: [{ n: 1, no: null, yes: true }],
  };
  const shown = jsonHtml(value).html;
  equal(/<script/.test(shown), false);
  const plain = shown.replaceAll(/<\/?span[^>]*>/g, '').replaceAll(/&#?\w+;/g, unescaped);
  equal(JSON.stringify(JSON.parse(plain)), JSON.stringify(value));
});

const characters: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

const unescaped = (entity: string): string => characters[entity] ?? entity;
