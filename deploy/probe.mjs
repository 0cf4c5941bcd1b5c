/**
 * The health check of the container: exits with 0 if the URL responds with 2xx in time,
 * otherwise with 1 and the reason. It needs no program besides Node.js.
 */
const MS_MAX = 4000;
const [, , url] = process.argv;

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(MS_MAX), redirect: 'error' });
  if (!response.ok) throw new Error(`the server responded with ${response.status}`);
} catch (error) {
  console.error(`${url}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
