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
};
