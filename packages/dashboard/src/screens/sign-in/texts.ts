export const texts = {
  title: 'Sign in',
  email: 'Email address',
  password: 'Password',
  forgot: 'Forgot password?',
  action: 'Sign in',
  wrong: 'Incorrect email address or password.',
  wait: (seconds: number) => `Too many attempts. Try again in ${seconds} s.`,
  noAccount: 'Don’t have an account?',
  signUp: 'Sign up',
  unended: (until: string | null) =>
    `You’re signed out in this browser, but the server couldn’t be reached, so the session stays valid until ${until ?? 'it expires'}. Try again, or sign in later and sign out of that session on the Account page.`,
  ended: 'Session signed out.',
};
