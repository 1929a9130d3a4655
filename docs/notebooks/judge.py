# %% [markdown]
# # For an engineer with an LLM judge
#
# A model grades your outputs, and people graded some of them. Can the judge stand in for people, where does it fail,
# and how many labels do you still need? The verdicts here are synthetic and ship with the package;
# `ma.read("judge.csv")` reads your own.

# %%
import metassay as ma

verdicts = ma.example("judge")
verdicts

# %% [markdown]
# ## Is the judge right as often as people agree with each other?

# %%
card = ma.judge(verdicts, human="verdict_*", judge="*-judge")
card

# %%
card.plot()

# %% [markdown]
# ## Where does it fail?

# %%
card.plot(kind="slices")

# %% [markdown]
# ## What influences it besides quality?

# %%
ma.bias(verdicts, human="verdict_*", metric="*-judge")

# %% [markdown]
# ## What would people have said of all outputs?
#
# Suppose that people had labelled 40 of the 150 questions. The judge's verdicts everywhere, corrected by its errors
# on these, estimate the pass rate of each model.

# %%
ma.estimate(verdicts, human="verdict_anna", metric="strict-judge", annotated=40)

# %% [markdown]
# ## A gate for continuous integration
#
# `metassay judge judge.csv --human 'verdict_*' --require 'accuracy>=0.8'` ends with exit code 3 when a requirement is
# not met.
