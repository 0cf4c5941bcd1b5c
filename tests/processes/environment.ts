// What a program under test gets from the test's own environment: where to find things, and what
// other programs have compiled already. Nothing that would set it.

export const inherited = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
};
