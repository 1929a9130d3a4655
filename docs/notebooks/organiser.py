# %% [markdown]
# # For the organiser of a shared task
#
# Teams submitted metrics, annotators judged systems. Who leads, which ranks are certain, how reliable are the human
# scores, and how should the next campaign be planned? The scores here are synthetic and ship with the package;
# `ma.read("shared-task")` reads a folder of submissions.

# %%
import metassay as ma

scores = ma.example()
scores

# %% [markdown]
# ## The leaderboard
#
# Soft pairwise accuracy of systems, and accuracy with calibrated ties within inputs, as in WMT since 2024. Ranks are
# 95% confidence sets.

# %%
board = ma.leaderboard(scores, human="relevance")
board

# %%
board.plot()

# %% [markdown]
# ## How reliable are the human scores?
#
# No metric can be expected to agree with people better than people's scores are reliable.

# %%
reliability = ma.reliability(scores, human="relevance", metric="synthetic-judge")
reliability

# %% [markdown]
# ## Which systems win?

# %%
ranking = ma.rank(scores, human="relevance", metric="synthetic-judge")
ranking

# %%
ranking.plot()

# %% [markdown]
# ## What should the next campaign look like?

# %%
ma.plan(scores, human="relevance", metric="synthetic-judge", trials=200).plot()
