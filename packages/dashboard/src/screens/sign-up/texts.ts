export const texts = {
  title: 'Sign up',
  name: 'Name',
  email: 'Email address',
  password: 'Password',
  minimum: (count: number) => `At least ${count} characters.`,
  action: 'Create account',
  hasAccount: 'Already have an account?',
  signIn: 'Sign in',
  mailTitle: 'Check your email',
  mailText: (email: string) =>
    `An email with the next steps is on its way to ${email}. It can take a minute to arrive. Check your spam folder too.`,
  mailFiles:
    'This server saves emails as files instead of sending them. Look in the mail folder inside its data directory.',
};
