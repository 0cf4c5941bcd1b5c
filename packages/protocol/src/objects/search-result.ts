// What a search through everything finds.
import { z } from 'zod';
import { Env } from '../validators.ts';
import { keyStates } from '../wire/key-states.ts';
import { searchTypes } from '../wire/search-types.ts';
import { nodeStates } from './policy-node.ts';

export const SearchResult = z
  .strictObject({
    object: z.literal('search_result'),
    type: z.enum(searchTypes),
    id: z.string().meta({ description: "The object's ID; for a member, the user's." }),
    title: z.string().meta({ description: 'The name, or what identifies an object without one.' }),
    subtitle: z
      .string()
      .nullable()
      .meta({
        description:
          "A display prefix, external ID, slug or email address; for a node, its project's name. " +
          '`null` if it is the title, or a project that a secret key may not read.',
      }),
    env: Env.nullable().meta({
      description: 'The environment; `null` if the object belongs to none, or to both.',
    }),
    state: z
      .enum([...keyStates, ...nodeStates])
      .nullable()
      .meta({ description: 'The state of a key or a node; `null` for everything else.' }),
    href: z.string().meta({
      description:
        'The path of the object. Members and nodes have none of their own: theirs is a list.',
    }),
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.output<typeof SearchResult>;
