import math
from collections import Counter
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metassay.core.texts import Item
from metassay.errors import UnknownName, UsageError
from metassay.texts.scorers.damaged import degraded_rouge1
from metassay.texts.scorers.rouge import VARIANTS, Rouge


def item(output, *references):
    return Item("a", "1", output, references, None)


def f1(variant, output, *references, **options):
    return Rouge(variant, measures="f1", **options).score([item(output, *references)])[0, 0]


# ---- literal definitions, on lists of words


def overlap(ours, theirs):
    return sum((Counter(ours) & Counter(theirs)).values())


def grams(words, variant):
    if variant.isdigit():
        return list(zip(*(words[k:] for k in range(int(variant))), strict=False))
    gap = variant.lstrip("su")
    near = [(words[i], words[j]) for i, j in combinations(range(len(words)), 2) if not gap or j - i - 1 <= int(gap)]
    return near + ([(word,) for word in words[:-1]] if variant.startswith("su") else [])


def traced(reference, output, weight=None):
    """Marks of the reference's words, by the table and the moves of ROUGE-1.5.5."""
    m, n = len(reference), len(output)
    best = [[0.0] * (n + 1) for _ in range(m + 1)]
    run = [[0] * (n + 1) for _ in range(m + 1)]
    move = [[""] * (n + 1) for _ in range(m + 1)]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if reference[i - 1] == output[j - 1]:
                k = run[i - 1][j - 1]
                best[i][j] = best[i - 1][j - 1] + (1 if weight is None else (k + 1) ** weight - k**weight)
                run[i][j], move[i][j] = k + 1, "match"
            elif best[i - 1][j] >= best[i][j - 1]:
                best[i][j], move[i][j] = best[i - 1][j], "up"
            else:
                best[i][j], move[i][j] = best[i][j - 1], "left"
    marks = [False] * m
    i, j = m, n
    while i and j:
        step = move[i][j]
        if step == "match":
            marks[i - 1] = True
        i -= step != "left"
        j -= step != "up"
    return marks


def literal(variant, output, reference):
    """Precision, recall and F1 of one pair of texts given as lists of sentences, each a list of words."""
    ours, theirs = (list(chain.from_iterable(text)) for text in (output, reference))
    power, base_ours, base_theirs = 1.0, float(len(ours)), float(len(theirs))
    if variant == "l":
        hits = sum(traced(theirs, ours))
    elif variant == "lsum":
        marked = []
        for sentence in reference:
            union = [any(m) for m in zip(*(traced(sentence, other) for other in output), strict=True)]
            marked += [word for word, mark in zip(sentence, union, strict=False) if mark]
        hits = overlap(marked, ours)
    elif variant == "w":
        power = 1 / 1.2
        runs = "".join("x" if m else " " for m in traced(theirs, ours, 1.2)).split()
        hits = sum(len(r) ** 1.2 for r in runs)
        base_ours, base_theirs = base_ours**1.2, base_theirs**1.2**2
    else:
        mine, their = grams(ours, variant), grams(theirs, variant)
        hits, base_ours, base_theirs = overlap(mine, their), len(mine), len(their)
    if not base_theirs:
        return math.nan, math.nan, math.nan
    p = (hits / base_ours) ** power if base_ours else 0.0
    r = (hits / base_theirs) ** power
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


TEXT = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9), min_size=0, max_size=3)


@settings(max_examples=60)
@given(pairs=st.lists(st.tuples(TEXT, TEXT.filter(bool)), min_size=1, max_size=6))
def test_batches_equal_the_literal_definitions(pairs):
    variants = (*VARIANTS, "5", "s0", "su", "su2")
    items = [item(*("\n".join(" ".join(s) for s in text) for text in pair)) for pair in pairs]
    got = Rouge(variants).score(items).reshape(len(items), len(variants), 3)
    for scores, (output, reference) in zip(got, pairs, strict=True):
        for score, variant in zip(scores, variants, strict=True):
            np.testing.assert_allclose(score, literal(variant, output, reference), atol=1e-12, err_msg=variant)


def test_by_hand():
    # the cat sat on the mat / the cat lay on the mat: 5 of 6 words; of 5 bigrams the-cat, on-the, the-mat;
    # subsequence the cat on the mat
    pair = ("the cat sat on the mat", "the cat lay on the mat")
    assert f1("1", *pair) == pytest.approx(5 / 6)
    assert f1("2", *pair) == pytest.approx(3 / 5)
    assert f1("l", *pair) == pytest.approx(5 / 6)
    # 15 pairs of words in each text, 5 of them with the word that differs
    assert f1("s", *pair) == pytest.approx(10 / 15)
    # with 5 single words, all but the last, of which 4 match
    assert f1("su", *pair) == pytest.approx(14 / 20)


def test_several_references():
    # Against "a b c d": 2 of 4; against "a x": 1 of 2, the same recall, and the first counts for ROUGE-1.5.5.
    # Against "a y z": 1 of 3.
    output, references = "a b q", ("a b c d", "a x", "a y z")
    measured = {
        name: Rouge("1", references=name).score([item(output, *references)])[0]
        for name in ("best", "average", "jackknife", "rouge-1.5.5-best")
    }
    np.testing.assert_allclose(measured["best"], [2 / 3, 2 / 4, 2 * 2 / 7])
    np.testing.assert_allclose(measured["rouge-1.5.5-best"], [2 / 3, 2 / 4, 2 * 2 / 7])
    # hits 2 + 1 + 1, words of the output 3 times 3, of the references 4 + 2 + 3
    np.testing.assert_allclose(measured["average"], [4 / 9, 4 / 9, 4 / 9])
    # left out in turn: the first gives way to the second, the others change nothing
    np.testing.assert_allclose(measured["jackknife"], [(2 * 2 / 3 + 1 / 3) / 3, 1 / 2, (2 * 4 / 7 + 2 / 5) / 3])
    alone = Rouge("1", references="jackknife").score([item(output, references[0])])[0]
    np.testing.assert_allclose(alone, measured["best"])


def test_an_output_that_is_a_reference_has_the_score_1():
    # by the best recall, the short reference would be taken: precision 3/6, F1 2/3
    texts = ("the cat sat on the mat", "the cat sat", "the cat sat on the mat")
    assert Rouge("1").score([item(*texts)])[0].tolist() == [1, 1, 1]
    assert Rouge("1", references="rouge-1.5.5-best").score([item(*texts)])[0, 2] == pytest.approx(2 / 3)


def test_each_measure_has_its_own_best_reference():
    # precision 2/2 against the long one, recall 2/2 against the short one
    best = Rouge("1").score([item("a b", "a b c d", "a")])[0]
    np.testing.assert_allclose(best, [1, 1, max(2 * 0.5 / 1.5, 2 * 0.5 / 1.5)])


@settings(max_examples=30)
@given(texts=st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), min_size=3, max_size=5))
def test_jackknife_is_the_mean_of_leaving_one_out(texts):
    output, *references = (" ".join(text) for text in texts)
    scorer = Rouge("1,l", references="best")
    left_out = [item(output, *(r for k, r in enumerate(references) if k != out)) for out in range(len(references))]
    expected = scorer.score(left_out).mean(axis=0)
    got = Rouge("1,l", references="jackknife").score([item(output, *references)])[0]
    np.testing.assert_allclose(got, expected)


def test_the_order_and_company_of_items_change_nothing():
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "then", "it", "ran", "off"]
    random = np.random.default_rng(0)
    items = [item(" ".join(random.choice(words, 12)), " ".join(random.choice(words, 9))) for _ in range(40)]
    together = Rouge().score(items)
    np.testing.assert_array_equal(together, np.concatenate([Rouge().score([one]) for one in items]))
    np.testing.assert_array_equal(together[::-1], Rouge().score(items[::-1]))


def test_pages_change_nothing(monkeypatch):
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "then", "it", "ran", "off"]
    random = np.random.default_rng(0)
    items = [item(" ".join(random.choice(words, 12)), " ".join(random.choice(words, 9))) for _ in range(40)]
    together = Rouge().score(items)
    monkeypatch.setattr("metassay.texts.scorers.rouge_counts.PAGE_WORDS", 50)
    monkeypatch.setattr("metassay.texts.scorers.subsequences.PAGE_CELLS", 600)
    np.testing.assert_array_equal(together, Rouge().score(items))


def test_empty_texts():
    scorer = Rouge()
    for empty in ("", "  \n", "... --", "\x00\x01"):
        assert (scorer.score([item(empty, "a word")])[0] == 0)[:3].all()
        assert np.isnan(scorer.score([item("a word", empty)])).all()
        np.testing.assert_array_equal(
            scorer.score([item("a word", empty, "a word")]), scorer.score([item("a word", "a word")])
        )
    assert np.isnan(scorer.score([item("a word")])).all()
    assert scorer.score([]).shape == (0, 30)


def test_a_reference_too_short_for_an_ngram_says_nothing_of_it():
    scores = Rouge("1,2,3,s4,su4", measures="f1").score([item("a b c", "a b")])[0]
    assert np.isnan(scores).tolist() == [False, False, True, False, False]
    assert f1("3", "a b c", "a b", "a b c") == 1
    assert f1("2", "a", "a b") == 0


def test_text_without_spaces_has_no_score():
    chinese = item("今天天气很好我们去公园", "今天天气好")
    for tokens in ("rouge", "unicode"):
        assert np.isnan(Rouge("1", tokens=tokens).score([chinese])).all()
    assert f1("1", "今天 天气 很 好", "今天 天气 好", tokens="unicode") == pytest.approx(6 / 7)
    assert math.isnan(f1("1", "مرحبا بالعالم", "مرحبا"))
    assert f1("1", "مرحبا بالعالم", "مرحبا", tokens="unicode") == pytest.approx(2 / 3)


def test_a_megabyte_in_one_cell():
    long = "the quick brown fox jumps over a lazy dog . " * 23_000
    scorer = Rouge(measures="recall")
    scores = dict(zip(scorer.columns, scorer.score([item(long, "the lazy fox jumps over dogs")])[0], strict=True))
    assert len(long) > 1_000_000
    assert scores["rouge-1_recall"] == 1
    assert scores["rouge-l_recall"] == 1
    assert scores["rouge-s4_recall"] > 0.5
    # every pair of words of such a text would be too much
    assert all(math.isnan(scores[f"rouge-{variant}_recall"]) for variant in ("lsum", "w", "s"))


def test_names_and_recipe():
    scorer = Rouge("ROUGE-1 + Lsum+s*", measures="f1", references="average")
    assert scorer.columns == ("rouge-1_f1", "rouge-lsum_f1", "rouge-s_f1")
    assert scorer.signature == (
        "rouge|variants:1,lsum,s|measures:f1|tokens:rouge|stem:porter|references:average|sentences:lines|scale:0-1|v:2"
    )
    assert "weight:1.2" in Rouge("w").signature
    assert Rouge(2).columns == Rouge("2").columns


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"variants": "x"}, "unknown variant of ROUGE 'x'"),
        ({"variants": "0"}, "unknown variant"),
        ({"variants": " "}, "no variant"),
        ({"measures": "f2"}, "measure"),
        ({"stem": "snowball"}, "stemming"),
        ({"references": "median"}, "treatment of references"),
        ({"weight": 0.5}, "weight must lie between 1"),
        ({"weight": "heavy"}, "weight must lie between 1"),
    ],
)
def test_wrong_options(options, said):
    with pytest.raises(UsageError, match=said):
        Rouge(**options)


# ---- ROUGE-1 of a part of the words


def literal_degraded(output, references, kept, draws, seed):
    random = np.random.default_rng(seed)
    words = output.split()
    texts = [" ".join(random.permutation(words)[:kept]) for _ in range(draws)]
    return Rouge("1", measures="f1").score([item(text, *references) for text in texts])[:, 0]


@pytest.mark.parametrize(
    "references",
    [
        ("the old man and the sea",),
        ("the the the sea man", "a man a plan", "old the and boat and boat"),
    ],
)
def test_degraded_scores_have_the_distribution_of_drawing_words(references):
    output = "the man in the boat saw the old sea and the sea and the man"  # 15 words, 8 kept
    got = degraded_rouge1([item(output, *references)], 0.5, draws=20_000, seed=1)[:, 0]
    expected = literal_degraded(output, references, 8, 20_000, seed=2)
    values = np.union1d(got.round(9), expected.round(9))
    shares = [np.array([(side.round(9) == v).mean() for v in values]) for side in (got, expected)]
    # each share has a standard error of at most 0.0035
    np.testing.assert_allclose(shares[0], shares[1], atol=0.02)


def test_many_words_of_a_kind_are_drawn_alike():
    output = " ".join(["a"] * 30 + ["b"] * 30)
    got = degraded_rouge1([item(output, " ".join(["a"] * 40))], 0.5, draws=20_000, measure="recall")[:, 0] * 40
    # hypergeometric: 30 of 60 drawn, 30 of them a: mean 15, variance 30 · ½ · ½ · 30 / 59
    assert got.mean() == pytest.approx(15, abs=0.06)
    assert got.var() == pytest.approx(30 * 0.25 * 30 / 59, rel=0.05)


def test_the_whole_is_rouge():
    items = [item("the cat sat on the mat", "a cat on the mat", "the mat"), item("", "a"), item("a", ""), item("a")]
    got = degraded_rouge1(items, 1.0, draws=3)
    np.testing.assert_array_equal(got, np.tile(Rouge("1", measures="f1").score(items)[:, 0], (3, 1)))


def test_degraded_draws_depend_on_the_seed_only():
    items = [item("the cat sat on the mat", "a cat on the mat"), item("it ran off and off", "off it ran")]
    one = degraded_rouge1(items, 0.5, draws=1500, seed=3)
    np.testing.assert_array_equal(one, degraded_rouge1(items, 0.5, draws=1500, seed=3, threads=1))
    np.testing.assert_array_equal(one[:40], degraded_rouge1(items, 0.5, draws=40, seed=3))
    assert (one != degraded_rouge1(items, 0.5, draws=1500, seed=4)).any()


def test_degraded_options():
    with pytest.raises(UsageError, match="did you mean"):
        degraded_rouge1([item("a", "a")], 50)
    with pytest.raises(UnknownName):
        degraded_rouge1([item("a", "a")], 0.5, measure="f2")
    with pytest.raises(UsageError, match="draws"):
        degraded_rouge1([item("a", "a")], 0.5, draws=0)


def test_lines_are_sentences_and_splitting_is_an_option():
    # One line is one sentence: the longest common subsequence has two of four words. Split: all four are found.
    output, reference = "Dogs bark. Cats sleep.", "Cats sleep. Dogs bark."
    assert f1("lsum", output, reference) == pytest.approx(f1("l", output, reference)) == pytest.approx(1 / 2)
    assert f1("lsum", output, reference, sentences="split") == 1
    # Lines are not split again: two words of the first line, and the second.
    assert f1("lsum", f"{output}\nrain", f"{reference}\nrain", sentences="split") == pytest.approx(3 / 5)
    (note,) = Rouge("lsum").notes([item(output, reference)])
    assert note.code == "rouge-lsum-is-rouge-l"
    assert Rouge("lsum", sentences="split").notes([item(output, reference)]) == ()
    assert Rouge("lsum").notes([item("a\nb", reference)]) == ()


def test_texts_are_cut_after_words_or_bytes():
    output, reference = "the big-time cat\nsat on the mat", "the big time dog\nsat"
    # words are parted by spaces: "the big-time cat sat" of the output has 5, the reference has 5 in 5 words
    cut = Rouge("1", max_words=4).score([item(output, reference)])[0]
    np.testing.assert_allclose(cut, Rouge("1").score([item("the big-time cat\nsat", "the big time dog")])[0])
    # 18 bytes: "the big-time cat" is 16, two more on the next line
    cut = Rouge("1", max_bytes=18).score([item(output, reference)])[0]
    np.testing.assert_allclose(cut, Rouge("1").score([item("the big-time cat\nsa", "the big time dog\nsa")])[0])
    assert "|max_bytes:18|" in Rouge("1", max_bytes=18).signature
    with pytest.raises(UsageError, match="exclude each other"):
        Rouge(max_words=1, max_bytes=1)
    with pytest.raises(UsageError, match="max_words must be a whole number"):
        Rouge(max_words=0)


def test_stop_words(tmp_path):
    output, reference = "The cats were sleeping", "the cat is sleeping"
    np.testing.assert_allclose(Rouge("1", stop_words="english").score([item(output, reference)])[0], 1)
    listed = tmp_path / "words.txt"
    listed.write_text("THE\nis\n")
    # the cats were sleeping without the: cat were sleep; cat sleep
    got = Rouge("1", stop_words=str(listed)).score([item(output, reference)])[0]
    np.testing.assert_allclose(got, [2 / 3, 1, 4 / 5])
    assert Rouge("1", stop_words=str(listed)).signature != Rouge("1", stop_words="english").signature
    with pytest.raises(UsageError, match="stop_words must be none, english, or a file"):
        Rouge(stop_words="nowhere.txt")
