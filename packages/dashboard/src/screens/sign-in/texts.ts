export const texts = {
  title: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  forgot: 'Forgot it?',
  action: 'Sign in',
  wrong: 'The address or the password is wrong.',
  wait: (seconds: number) => `Too many attempts. Try again in ${seconds} s.`,
  noAccount: 'No account yet?',
  signUp: 'Sign up',
  unended: (until: string | null) =>
    `This browser forgot the session, but the server couldn’t be reached, so it stays valid until ${until ?? 'it expires'}. Try again, or sign in later and end it under Account.`,
  ended: 'Session ended.',
};
