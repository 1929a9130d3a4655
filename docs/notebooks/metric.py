# %% [markdown]
# # For a metric researcher
#
# You have scores of your metric and of others, and human judgments of the same outputs. How well does each metric
# agree with people, is the difference to the next one significant, and would more data help? The scores here are
# synthetic and ship with the package; `ma.read("scores.csv")` reads your own.

# %%
import metassay as ma

scores = ma.example()
scores

# %% [markdown]
# ## How well does each metric agree with people?
#
# At the system level, does the metric rank systems as people do? At the input level, does it rank the outputs for one
# input as people do?

# %%
agreement = ma.agree(scores, human="relevance")
agreement

# %%
agreement.plot()

# %% [markdown]
# ## Which metric agrees better?
#
# All pairs are tested. The table gives the ranks that remain possible with 95% confidence.

# %%
comparison = ma.compare(scores, human="relevance", level="input")
comparison

# %% [markdown]
# ## Is it this criterion, or another one that goes with it?
#
# A metric may agree on coherence only because coherent outputs are relevant, too.

# %%
ma.criteria(scores, resamples=300)

# %% [markdown]
# ## How much data would a clearer answer take?

# %%
ma.plan(scores, human="relevance", metric="synthetic-judge,synthetic-embedding", width=0.3, trials=200)

# %% [markdown]
# ## For the paper
#
# Every result is a table for LaTeX, a data frame or JSON, and has a signature that says how it was computed.

# %%
print(agreement.signature)
print(comparison.to_latex(view="ranks")[:300])
