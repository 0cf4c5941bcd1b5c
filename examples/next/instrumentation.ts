// Next.js runs this once, before it serves the first request.
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { keyrail } = await import('./keyrail.ts');
    await keyrail.ready();
  }
}
