// Who may sign up on this deployment.

/** `invited`: addresses with an open invitation, of any workspace. */
export const signupPolicies = ['open', 'invited', 'off'] as const;

export type SignupPolicy = (typeof signupPolicies)[number];
