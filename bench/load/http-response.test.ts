import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { checkStatus, responseLength } from './http-response.ts';

const response = (text: string): Buffer => Buffer.from(text, 'latin1');
const ok = response('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
const notModified = response('HTTP/1.1 304 Not Modified\r\netag: "1"\r\n\r\n');

test("a response's length is known once its headers are complete", () => {
  equal(responseLength(ok.subarray(0, 20)), null);
  equal(responseLength(ok.subarray(0, ok.length - 5)), ok.length);
  equal(responseLength(ok), ok.length);
});

test('a 304 response has no body', () => {
  equal(responseLength(notModified), notModified.length);
  checkStatus(notModified);
});

test('an unsuccessful response ends the run with an error that contains the response', () => {
  checkStatus(ok);
  const refused = response('HTTP/1.1 429 Too Many Requests\r\ncontent-length: 4\r\n\r\nwait');
  throws(() => checkStatus(refused), /HTTP\/1\.1 429 Too Many Requests wait/);
});

test('a response without a content length is rejected', () => {
  throws(() => responseLength(response('HTTP/1.1 200 OK\r\n\r\n')), /without a length/);
});
